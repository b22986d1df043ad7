(document (object (pair key: (string (string_content) @name)) @def.key))
(document (object (pair value: (object (pair key: (string (string_content) @name)) @def.key))))
(comment) @comment
