# fish finds the completion by itself, and completes commands, flags and the world's IDs.
function expect
    set -l got (complete -C $argv[2])
    if not string match -q -- $argv[1] "$got"
        echo "fish: $argv[2]: offered $got, not $argv[1]"
        exit 1
    end
end
expect 'show*Print an entity' 'worldfs sho'
expect '--type*only entities*' 'worldfs ls --ty'
expect '6001*Puzzle_Panel a panel of the package' 'worldfs show 6001'
expect '*6005*Lamp bunker lamp*6006*' 'worldfs show 600'
expect 'Decal*Door*' 'worldfs ls --type D'
