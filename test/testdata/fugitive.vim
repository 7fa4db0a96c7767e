" What a person does with vim-fugitive, from a file that lies in entities/: the word
" $FROM becomes $TO, which is looked at, staged and committed. What is seen then goes
" to $SAID.
set nomore noswapfile hidden
let said = []
exe 'edit' $FILE
call add(said, 'statusline ' . FugitiveStatusline())
exe 'silent %s/' . $FROM . '/' . $TO . '/'
silent write
silent Git
call add(said, 'status ' . join(filter(getline(1, '$'), 'v:val =~ "entity_text"')))
silent only!
exe 'silent edit' $FILE
silent Gdiffsplit
call add(said, 'windows ' . len(filter(range(1, winnr('$')), 'getwinvar(v:val, "&diff")')))
call add(said, 'index ' . len(filter(range(1, winnr('$')), 'join(getbufline(winbufnr(v:val), 1, "$")) =~ $FROM')))
silent only!
exe 'silent edit' $FILE
silent Gwrite
silent Git commit --quiet -m fugitive
call add(said, 'committed ' . trim(system('git log -1 --format=%s')))
silent Gedit HEAD^:%
call add(said, 'before ' . len(filter(getline(1, '$'), 'v:val =~ $FROM')))
exe 'silent edit' $FILE
silent Git blame
call add(said, 'blamed ' . len(filter(range(1, winnr('$')), 'getbufvar(winbufnr(v:val), "&filetype") ==# "fugitiveblame"')))
silent only!
exe 'silent edit' $FILE
silent Gread HEAD^:%
silent write
call add(said, 'read ' . trim(system('git status --porcelain')))
silent Gread
silent write
call add(said, 'left ' . trim(system('git status --porcelain')))
call add(said, 'wrong ' . v:errmsg)
call writefile(said, $SAID)
qall!
