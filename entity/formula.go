package entity

// formulas is what RegisterFormulas was given.
var formulas func(source string, vars []string) error

// RegisterFormulas sets what checks the expressions in data, those of KindExpr: it
// says why a source over these variables is none, or why there can be no such
// variables. The language is that of package entity/formula, which calls this when
// it is initialized and imports this package: so a program that uses types with
// expressions imports it, as all packages do that read types. Without it such a type
// panics where it is validated: nothing that is wrong passes unasked.
func RegisterFormulas(check func(source string, vars []string) error) { formulas = check }

func checkFormula(source string, vars []string) error {
	if formulas == nil {
		panic("entity: a type has expressions, and what checks them is not linked in: import github.com/worldfs/worldfs/entity/formula")
	}
	return formulas(source, vars)
}
