" The texts of entities: indentation, and gf on an ID.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal expandtab shiftwidth=4 softtabstop=4 textwidth=0
" The format has no comments: nothing is to be joined or continued as one.
setlocal comments= commentstring= formatoptions-=t formatoptions-=c
" gf on an ID opens that entity: beside this one, or in another shard.
setlocal suffixesadd=.entity_text path=.,./../*

let b:undo_ftplugin = 'setlocal expandtab< shiftwidth< softtabstop< textwidth< comments< commentstring< formatoptions< suffixesadd< path<'
