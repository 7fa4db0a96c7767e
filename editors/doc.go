// Package editors is what editors know of entity_text: vim/ is a directory for vim's
// runtimepath, vscode/ an extension of VS Code. The package itself has only their tests,
// which run vim, and VS Code's own reader of grammars, on texts of real worlds: each
// character of each line has to be shown as what it is.
package editors
