(header module: (module) @name) @def.module
(data_type name: (_) @name) @def.type
(newtype name: (_) @name) @def.type
(type_synonym name: (_) @name) @def.type
(type_family name: (_) @name) @def.type
(data_family name: (_) @name) @def.type
(data_type (infix operator: (_) @name)) @def.type
(newtype (infix operator: (_) @name)) @def.type
(type_synonym (infix operator: (_) @name)) @def.type
(type_family (infix operator: (_) @name)) @def.type
(class (infix operator: (_) @name)) @def.class
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
(field name: (field_name) name: (field_name (variable) @name @def.field))
(signature name: [(variable) @name (prefix_id (operator) @name)]) @def.equation
(function name: [(variable) @name (prefix_id (operator) @name)]) @def.equation
(function (infix operator: [(operator) @name (infix_id (variable) @name)])) @def.equation
(function (function_head_parens (infix operator: [(operator) @name (infix_id (variable) @name)]))) @def.equation
(class_declarations (signature names: (binding_list name: [
    (variable) @name @def.equation
    (prefix_id (operator) @name) @def.equation
  ])))
(pattern_synonym (equation synonym: [
    (constructor) @name
    (apply function: (constructor) @name)
    (apply function: (apply function: (constructor) @name))
    (apply function: (apply function: (apply function: (constructor) @name)))
    (infix operator: (constructor_operator) @name)
    (record constructor: (constructor) @name)
  ])) @def.constructor
(declarations (bind name: [(variable) @name (prefix_id (operator) @name)]) @def.equation)
(class_declarations (bind name: (variable) @name) @def.equation)
(instance_declarations (bind name: (variable) @name) @def.equation)

[(comment) (haddock)] @comment

(import module: (module) @import.module) @import
(import alias: (module) @import.alias !names)
((import alias: (module) @import.alias names: (_)) @_import (#match? @_import "\\bhiding\\s*[(]"))
((import names: (import_list (import_name [
    variable: (_) @import.name
    type: (_) @import.name
  ]))) @_import (#not-match? @_import "\\bhiding\\s*[(]"))

(apply function: (variable) @call)
(apply function: (qualified id: (variable) @call))
(apply function: (prefix_id (operator) @call))
(apply function: (constructor) @call)
(apply function: (qualified id: (constructor) @call))
(infix operator: (infix_id (variable) @call))
(infix operator: (infix_id (qualified id: (variable) @call)))
(infix operator: [(operator) (constructor_operator)] @call)
(infix operator: (qualified id: (operator) @call))
(name) @type
[(variable) (constructor) (operator) (constructor_operator)] @ref
(import module: (module) @ref)
(module_export (module) @ref)

; -- scopes (parse/dialects/haskell.py): all variables in a pattern are bound by it
[(lambda) (alternative) (do) (list_comprehension) (match) (let_in) (pattern_synonym) (constructor_synonym)] @local
(function match: (_)) @local
(bind match: (_)) @local
(local_binds (bind name: [(variable) @bind (prefix_id (operator) @bind)]))
(_ pattern: (_) @pattern)
(_ patterns: (patterns) @pattern)
(equation synonym: (_) @pattern)
(function (infix left_operand: (_) @pattern))
(function (infix right_operand: (_) @pattern))
(function_head_parens (infix left_operand: (_) @pattern))
(function_head_parens (infix right_operand: (_) @pattern))
(bind pattern: (_) @pattern.outer match: (_))
[(class_declarations) (instance_declarations)] @expression
(view_pattern expression: (_) @expression)
[(class) (instance) (data_type) (newtype) (type_synonym) (type_family) (data_family) (type_instance) (data_instance)
 (kind_signature) (deriving_instance) (role_annotation) (type_application)] @types
(signature type: (_) @types)
(data_instance) @hidden
(ERROR) @error
(bind arrow: _) @step
(pattern_guard) @step
(let) @step
(rec) @together
(header exports: (_) @exports)
(module_export (module) @export.module)
(field_name (variable) @field)
(record . (_) [(field_update) (field_pattern)]) @record
(field_pattern field: (field_name (variable) @pun) !pattern)
(record (field_pattern (wildcard))) @wild
(projection field: (_) @skip)
(projection field: (field_name (variable) @skip))
(projection_selector field: (_) @skip)
