(header module: (module) @name) @def.module
(data_type name: (_) @name) @def.type
(newtype name: (_) @name) @def.type
(type_synonym name: (_) @name) @def.type
(type_family name: (_) @name) @def.type
(class name: (_) @name) @def.class
(instance name: (_) @name) @def.impl
(data_constructor constructor: [
    (prefix name: (_) @name)
    (record name: (_) @name)
    (infix operator: (_) @name)
  ]) @def.constructor
(newtype_constructor name: (_) @name) @def.constructor
(gadt_constructor name: (_) @name) @def.constructor
(field name: (field_name (variable) @name)) @def.field
(signature name: [(variable) @name (prefix_id (operator) @name)]) @def.equation
(function name: [(variable) @name (prefix_id (operator) @name)]) @def.equation
(function (infix operator: [(operator) @name (infix_id (variable) @name)])) @def.equation
(declarations (bind name: [(variable) @name (prefix_id (operator) @name)]) @def.equation)
(class_declarations (bind name: (variable) @name) @def.equation)
(instance_declarations (bind name: (variable) @name) @def.equation)

[(comment) (haddock)] @comment

(import module: (module) @import.module) @import
(import alias: (module) @import.alias)
((import names: (import_list (import_name [variable: (_) type: (_)] @import.name))) @_import (#not-match? @_import "hiding"))

(apply function: (variable) @call)
(apply function: (qualified id: (variable) @call))
(apply function: (constructor) @call)
(infix operator: (infix_id (variable) @call))
(name) @type
[(variable) (constructor) (operator)] @ref
