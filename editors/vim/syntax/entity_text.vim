" Vim syntax file
" Language: entity_text, the text of a worldfs entity (docs/entity-text.md)
if exists('b:current_syntax')
  finish
endif
let s:save_cpo = &cpo
set cpo&vim
syntax case match

" A line is one token. Of two patterns that fit, the later one counts.
"
" A value of an enum or flags, or a line of a field that is unknown.
syntax match entityTextWord /^\s*\zs\S.\{-}\ze\s*$/
syntax match entityTextConstant /^\s*\zs\%(true\|false\|null\)\ze\s*$/
syntax match entityTextInteger /^\s*\zs[-+]\=\d\+\ze\s*$/
syntax match entityTextBit /^\s*\zs#\d\+\ze\s*$/
syntax match entityTextGuid /^\s*\zs\x\{8}-\x\{4}-\x\{4}-\x\{4}-\x\{12}\ze\s*$/
syntax match entityTextBracket /^\s*\zs[][{}]\ze\s*$/

" A decimal, or a decimal and the bits: the bits count, the decimal is to be read.
syntax match entityTextFloat /^\s*\zs[-+]\=\%(\d\+\.\d*\|\.\d\+\|\d\+[eE]\@=\)\%([eE][-+]\=\d\+\)\=\ze\s*$/
syntax match entityTextFloat /^\s*\zs[-+]\=\c\%(nan\|inf\|infinity\)\ze\s*$/
syntax match entityTextFloat /^\s*\zs[-+]\=\%(\%(\d\+\.\=\d*\|\.\d\+\)\%([eE][-+]\=\d\+\)\=\|\c\%(nan\|inf\|infinity\)\)\ze\s*:\s*\%(0[xX]\)\=\x\+\s*$/ nextgroup=entityTextColon skipwhite
syntax match entityTextColon /:/ contained nextgroup=entityTextBits skipwhite
syntax match entityTextBits /\%(0[xX]\)\=\x\+/ contained

syntax match entityTextBadString /^\s*\zs".\{-}\ze\s*$/
syntax match entityTextString /^\s*\zs"\%(\\.\|[^"\\]\)*"\ze\s*$/ contains=entityTextBadEscape,entityTextEscape,@Spell
syntax match entityTextBadEscape /\\./ contained
syntax match entityTextEscape /\\\%([abfnrtv\\'"]\|x\x\{2}\|\o\{3}\|u\x\{4}\|U\x\{8}\)/ contained

syntax region entityTextExpression matchgroup=entityTextOperator start=/^\s*\zs=/ end=/$/ oneline contains=entityTextNumber,entityTextFunction,entityTextNamed,entityTextQuoted
syntax match entityTextNumber /\<\%(0x\x\+\|\d\+\%(\.\d\+\)\=\%([eE][-+]\=\d\+\)\=\)\>/ contained
syntax match entityTextFunction /\<\h\w*\ze\s*(/ contained
syntax keyword entityTextNamed pi true false nil contained
syntax match entityTextQuoted /"\%(\\.\|[^"\\]\)*"/ contained

syntax match entityTextField /^\s*\zs;.\{-}\ze\s*$/ contains=entityTextMark
syntax match entityTextMark /;/ contained nextgroup=entityTextName skipwhite
syntax match entityTextName /\S.*/ contained

" The first lines: type, revision, ID. Where a conflict stands among them, its marker does
" not end them.
syntax match entityTextType /\%^\s*\zs\S.\{-}\ze\s*$/ nextgroup=entityTextTypeConflict,entityTextRevision skipnl skipempty skipwhite
syntax match entityTextRevision /^\s*\zs[-+]\=\d\+\ze\s*$/ contained nextgroup=entityTextIDConflict,entityTextID skipnl skipempty skipwhite
syntax match entityTextID /^\s*\zs\d\+\ze\s*$/ contained nextgroup=entityTextIDConflict,entityTextID skipnl skipempty skipwhite

syntax match entityTextConflict /^\%(<\{7}\||\{7}\|=\{7}\|>\{7}\)\%( .*\)\=$/
syntax match entityTextTypeConflict /^\%(<\{7}\||\{7}\|=\{7}\|>\{7}\)\%( .*\)\=$/ contained nextgroup=entityTextTypeConflict,entityTextRevision skipnl skipempty skipwhite
syntax match entityTextIDConflict /^\%(<\{7}\||\{7}\|=\{7}\|>\{7}\)\%( .*\)\=$/ contained nextgroup=entityTextIDConflict,entityTextID skipnl skipempty skipwhite

syntax sync fromstart

highlight default link entityTextType Type
highlight default link entityTextRevision PreProc
highlight default link entityTextID Identifier
highlight default link entityTextMark Delimiter
highlight default link entityTextName Statement
highlight default link entityTextField Statement
highlight default link entityTextWord Constant
highlight default link entityTextConstant Boolean
highlight default link entityTextInteger Number
highlight default link entityTextBit Number
highlight default link entityTextGuid Number
highlight default link entityTextBracket Delimiter
highlight default link entityTextFloat Float
highlight default link entityTextColon Comment
highlight default link entityTextBits Comment
highlight default link entityTextString String
highlight default link entityTextEscape SpecialChar
highlight default link entityTextBadString Error
highlight default link entityTextBadEscape Error
highlight default link entityTextOperator Operator
highlight default link entityTextNumber Number
highlight default link entityTextFunction Function
highlight default link entityTextNamed Constant
highlight default link entityTextQuoted String
highlight default link entityTextConflict Error
highlight default link entityTextTypeConflict entityTextConflict
highlight default link entityTextIDConflict entityTextConflict

let b:current_syntax = 'entity_text'
let &cpo = s:save_cpo
unlet s:save_cpo
