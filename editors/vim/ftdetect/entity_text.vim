" The texts of entities, and what svn lays beside them in a conflict.
autocmd BufRead,BufNewFile *.entity_text,*.entity_text.mine,*.entity_text.working,*.entity_text.r[0-9]*,*.entity_text.merge-* setfiletype entity_text
