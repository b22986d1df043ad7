(namespace_definition name: (namespace_name) @name) @def.namespace
(function_definition name: (name) @name) @def.function
(class_declaration name: (name) @name) @def.class
(interface_declaration name: (name) @name) @def.interface
(trait_declaration name: (name) @name) @def.trait
(enum_declaration name: (name) @name) @def.enum
(enum_case name: (name) @name) @def.enum_member
(method_declaration name: (name) @name) @def.method
(method_declaration name: (name) @name (#eq? @name "__construct")) @def.constructor
(property_declaration (property_element name: (variable_name (name) @name))) @def.property
(property_declaration "," (property_element name: (variable_name (name) @name)) @def.property)
(property_promotion_parameter name: (variable_name (name) @name)) @def.property
(const_declaration (const_element . (name) @name) @def.constant)

(comment) @comment

(namespace_use_declaration) @import
(namespace_use_declaration (namespace_use_clause . [(qualified_name) (name)] @import.module))
(namespace_use_declaration (namespace_use_clause alias: (name) @import.alias))
(namespace_use_declaration (namespace_name) @import.module)
(namespace_use_group (namespace_use_clause . [(qualified_name) (name)] @import.name))
(namespace_use_group (namespace_use_clause alias: (name) @import.alias))
[
  (require_expression)
  (require_once_expression)
  (include_expression)
  (include_once_expression)
] @import
(require_expression [
  (string (string_content) @import.module)
  (encapsed_string (string_content) @import.module)
  (parenthesized_expression (_ (string_content) @import.module))
  (binary_expression right: (_ (string_content) @import.module))])
(require_once_expression [
  (string (string_content) @import.module)
  (encapsed_string (string_content) @import.module)
  (parenthesized_expression (_ (string_content) @import.module))
  (binary_expression right: (_ (string_content) @import.module))])
(include_expression [
  (string (string_content) @import.module)
  (encapsed_string (string_content) @import.module)
  (parenthesized_expression (_ (string_content) @import.module))
  (binary_expression right: (_ (string_content) @import.module))])
(include_once_expression [
  (string (string_content) @import.module)
  (encapsed_string (string_content) @import.module)
  (parenthesized_expression (_ (string_content) @import.module))
  (binary_expression right: (_ (string_content) @import.module))])

(function_call_expression function: [(name) @call (qualified_name (name) @call) (relative_name (name) @call)])
(member_call_expression name: (name) @call)
(nullsafe_member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression [(name) @call (qualified_name (name) @call)])
(named_type [(name) @type (qualified_name (name) @type)])
(base_clause [(name) @type (qualified_name (name) @type)])
(class_interface_clause [(name) @type (qualified_name (name) @type)])
(attribute [(name) @type (qualified_name (name) @type)])
(name) @ref

; -- scopes and what is known of values (parse/events.py)
(simple_parameter name: (variable_name (name) @bind))
(property_promotion_parameter name: (variable_name (name) @bind))
(variadic_parameter name: (variable_name (name) @bind))
(assignment_expression left: (variable_name (name) @bind))
(assignment_expression left: (list_literal (variable_name (name) @bind)))
(augmented_assignment_expression left: (variable_name (name) @bind))
(foreach_statement (variable_name (name) @bind))
(foreach_statement (pair (variable_name (name) @bind)))
(foreach_statement (list_literal (variable_name (name) @bind)))
(catch_clause name: (variable_name (name) @bind))
(foreach_statement [(by_ref (variable_name (name) @bind)) (pair (by_ref (variable_name (name) @bind)))
  (pair (list_literal (variable_name (name) @bind)))])
(global_declaration (variable_name (name) @bind))
(static_variable_declaration name: (variable_name (name) @bind))
[(anonymous_function) (arrow_function)] @local
((variable_name) @this (#eq? @this "$this"))
(relative_scope) @this
(variable_name (name) @skip (#eq? @skip "this"))
(argument name: (name) @skip)
(class_constant_access_expression (_) (name) @skip (#eq? @skip "class"))
(namespace_definition name: (namespace_name (name) @skip))
(namespace_definition name: (namespace_name) @package)
(use_declaration [(name) (qualified_name)] @base)
(base_clause [(name) (qualified_name)] @base)
(class_interface_clause [(name) (qualified_name)] @base)
[(member_call_expression) (nullsafe_member_call_expression) (scoped_call_expression) (function_call_expression)
  (object_creation_expression)] @recv
(simple_parameter type: [
  (named_type [(name) (qualified_name)] @typed.type)
  (optional_type (named_type [(name) (qualified_name)] @typed.type))]) @typed
(property_promotion_parameter type: [
  (named_type [(name) (qualified_name)] @typed.type)
  (optional_type (named_type [(name) (qualified_name)] @typed.type))]) @typed
(property_declaration type: [
  (named_type [(name) (qualified_name)] @typed.type)
  (optional_type (named_type [(name) (qualified_name)] @typed.type))]) @typed
(catch_clause type: (type_list . (named_type [(name) (qualified_name)] @typed.type) .) name: (variable_name)) @typed
(assignment_expression left: (variable_name) right: (_) @assign.value) @assign
(assignment_expression left: (member_access_expression object: (variable_name) name: (name)) right: (_) @assign.value) @assign
(method_declaration return_type: [
  (named_type [(name) (qualified_name)] @returns)
  (optional_type (named_type [(name) (qualified_name)] @returns))])
(function_definition return_type: [
  (named_type [(name) (qualified_name)] @returns)
  (optional_type (named_type [(name) (qualified_name)] @returns))])
