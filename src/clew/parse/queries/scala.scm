(class_definition name: (_) @name) @def.class
(trait_definition name: (_) @name) @def.trait
(object_definition name: (_) @name) @def.object
(package_object name: (_) @name) @def.object
(enum_definition name: (_) @name) @def.enum
(simple_enum_case name: (_) @name) @def.enum_member
(full_enum_case name: (_) @name) @def.enum_member
(given_definition name: (_) @name) @def.object
(extension_definition parameters: (parameters . (parameter type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]))) @def.extension
(function_definition name: (_) @name) @def.function
(function_declaration name: (_) @name) @def.function
((function_definition name: (_) @name) @def.constructor (#eq? @name "this"))
(type_definition name: (type_identifier) @name) @def.type
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (identifier) @name) @def.property))
(class_parameter ["val" "var"] name: (identifier) @name) @def.property
(template_body (val_definition pattern: (identifier) @name) @def.property)
(template_body (var_definition pattern: (identifier) @name) @def.property)
(template_body (val_declaration name: (identifier) @name) @def.property)
(template_body (var_declaration name: (identifier) @name) @def.property)
(compilation_unit (val_definition pattern: (identifier) @name) @def.variable)
(compilation_unit (var_definition pattern: (identifier) @name) @def.variable)

[(comment) (block_comment)] @comment

(import_declaration) @import
(import_declaration (identifier) @import.module)
(import_declaration (namespace_wildcard) @import.all)
(import_declaration (namespace_selectors (identifier) @import.name))
(import_declaration (namespace_selectors (namespace_wildcard) @import.all))
(arrow_renamed_identifier name: (identifier) @import.name alias: (identifier) @import.alias)
(as_renamed_identifier name: (identifier) @import.name alias: (identifier) @import.alias)

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (field_expression field: (identifier) @call)))
(instance_expression . (type_identifier) @call)
(instance_expression . (generic_type type: (type_identifier) @call))
(infix_expression operator: (identifier) @call)
(type_identifier) @type
(identifier) @ref

; -- scopes and what is known of values (parse/events.py)
(package_clause name: (package_identifier) @package)
(package_clause name: (package_identifier (identifier) @skip))
(lambda_expression) @local
[(block) (indented_block) (case_clause) (for_expression)] @block
(instance_expression (template_body) @anonymous)
(parameter name: (identifier) @bind)
(class_parameter name: (identifier) @bind)
(binding name: (identifier) @bind)
(lambda_expression parameters: (identifier) @bind)
(val_definition pattern: (identifier) @bind)
(var_definition pattern: (identifier) @bind)
(tuple_pattern (identifier) @bind)
(enumerator . (identifier) @bind)
(typed_pattern pattern: (identifier) @bind)
(capture_pattern name: (identifier) @bind)
((case_clause pattern: (identifier) @bind) (#match? @bind "^[a-z_]"))
((case_class_pattern pattern: (identifier) @bind) (#match? @bind "^[a-z_]"))
((infix_pattern (identifier) @bind) (#match? @bind "^[a-z_]"))
(type_parameters name: (_) @bind)
(self_type . (identifier) @self)
((field_expression value: (identifier) @this) (#eq? @this "this"))
((field_expression value: (identifier) @super) (#eq? @super "super"))
((identifier) @skip (#any-of? @skip "this" "super"))
(infix_expression operator: (identifier) @skip)
(infix_pattern operator: (_) @skip)
(arguments (assignment_expression left: (identifier) @skip))
(interpolated_string_expression interpolator: (identifier) @skip)

(extends_clause [
  (type_identifier) @base (generic_type type: (type_identifier) @base) (stable_type_identifier (type_identifier) @base .)
  (generic_type type: (stable_type_identifier (type_identifier) @base .))])
(type_parameters name: (_) @bound bound: (upper_bound type: [
  (type_identifier) @bound.type (generic_type type: (type_identifier) @bound.type)]))
(field_expression value: (call_expression function: [
  [(identifier) (field_expression)] @recv.fn
  (generic_function function: [(identifier) (field_expression)] @recv.fn)]) @recv)
(field_expression value: (call_expression function: (call_expression
  function: [(identifier) (field_expression)] @recv.fn)) @recv)
(field_expression value: (instance_expression . [
  (type_identifier) @recv.fn (generic_type type: (type_identifier) @recv.fn)]) @recv)

([(parameter name: (identifier) @typed type: [
    (type_identifier) @typed.type (generic_type type: (type_identifier) @typed.type)
    (stable_type_identifier (type_identifier) @typed.type .)])
  (class_parameter name: (identifier) @typed type: [
    (type_identifier) @typed.type (generic_type type: (type_identifier) @typed.type)
    (stable_type_identifier (type_identifier) @typed.type .)])
  (binding name: (identifier) @typed type: [
    (type_identifier) @typed.type (generic_type type: (type_identifier) @typed.type)])
  (val_definition pattern: (identifier) @typed type: [
    (type_identifier) @typed.type (generic_type type: (type_identifier) @typed.type)
    (stable_type_identifier (type_identifier) @typed.type .)])
  (var_definition pattern: (identifier) @typed type: [
    (type_identifier) @typed.type (generic_type type: (type_identifier) @typed.type)
    (stable_type_identifier (type_identifier) @typed.type .)])
  (val_declaration name: (identifier) @typed type: [
    (type_identifier) @typed.type (generic_type type: (type_identifier) @typed.type)
    (stable_type_identifier (type_identifier) @typed.type .)])
  (var_declaration name: (identifier) @typed type: [
    (type_identifier) @typed.type (generic_type type: (type_identifier) @typed.type)])
  (typed_pattern pattern: (identifier) @typed type: [
    (type_identifier) @typed.type (generic_type type: (type_identifier) @typed.type)])
  (type_definition name: (type_identifier) @typed type: [
    (type_identifier) @typed.type (generic_type type: (type_identifier) @typed.type)
    (stable_type_identifier (type_identifier) @typed.type .)])])
([(val_definition pattern: (identifier) @held value: [
    (call_expression function: [(identifier) @held.fn (field_expression field: (identifier) @held.fn)
      (generic_function function: [(identifier) @held.fn (field_expression field: (identifier) @held.fn)])])
    (instance_expression . [
      (type_identifier) @held.type (generic_type type: (type_identifier) @held.type)
      (stable_type_identifier (type_identifier) @held.type .)])
    [(identifier) (field_expression)] @held.value])
  (var_definition pattern: (identifier) @held value: [
    (call_expression function: [(identifier) @held.fn (field_expression field: (identifier) @held.fn)])
    (instance_expression . [(type_identifier) @held.type (generic_type type: (type_identifier) @held.type)])
    [(identifier) (field_expression)] @held.value])])
(_ name: (_) return_type: [
  (type_identifier) @returns (generic_type type: (type_identifier) @returns)
  (stable_type_identifier (type_identifier) @returns .)])
(function_definition !return_type body: (instance_expression . [
  (type_identifier) @returns (generic_type type: (type_identifier) @returns)]))
(function_definition !return_type body: (call_expression function: [
  (identifier) @return.fn (field_expression field: (identifier) @return.fn)]))
