package content

import "github.com/spf13/cobra"

// newExpressionsTopic is a page of help, no command.
func newExpressionsTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "expressions",
		Short: "What --where, set and conditions in types are written in",
		Long: `An expression is written over an entity's fields, which stand in it by their
names, and id, type and revision. A value that an entity has not is nil.

  position.x, targets[0]     a component, an element; targets[-1] is the last
  light.watts                a member of a struct; light?.watts where there may
                             be no light, and then (light?.watts ?? 0) > 40
  parent.radius              beyond a ref: what the entity that it leads to has
  field("odd name")          a field whose name is no identifier
  has("odd name")            whether it is there
  == != < <= > >=            and, or, not, in; contains, startsWith, endsWith,
                             matches (a regular expression)
  + - * / % **               of numbers, and of vectors by component

Where things are:
  distance(6555)             how far the entity is from another, or from a
                             place: distance([46, 108, 9]); nil for nowhere
  distance(a, b)             between two: entities or places
  near(6555, 10)             whether it is so near to another, or to a place
  length(v), dot(v, w), cross(v, w)

What belongs together:
  refers(6555)               whether any ref of the entity is to another
  under(6555)                whether it follows another: is mounted on it, or on
                             what is

Numbers and texts:
  abs, min, max, round, floor, ceil, sqrt, pow, hypot, exp, log, sin, cos, tan,
  asin, acos, atan, atan2, radians, degrees, int, float, div (whole quotient)
  clamp(radius, 1, 5)        the number, or the bound that it is beyond
  random("seed")             from 0 to below 1, by the seed and the entity's ID:
                             the same anywhere; random(7, -1, 1): between two
  len, lower, upper, trim, split, join, replace, string
  any, all, none, count, filter, map, sum, mean, sort, uniq: of lists

Examples:
  worldfs ls --where 'type == "Lamp" && position.z > 10'
  worldfs ls --where 'near(6555, 20) && not under(6555)'
  worldfs ls --where 'refers(6001)'
  worldfs ls --where 'type == "Door" && any(targets ?? [], # == 6001)'
  worldfs ls --where 'random("a sample") < 0.01'
  worldfs set --where 'type == "Lamp"' 'radius = clamp(radius, 1, 5)' --dry-run
  worldfs set --where 'id == 6555' 'position = position + [0, 0, 1]' --dry-run

A name that no type has is a wrong call. docs/interchange.md has it all: how
numbers are calculated, and what a condition in types/ may read.`,
	}
}
