(function_declaration name: (identifier) @name) @def.function
(method_declaration name: (field_identifier) @name) @def.method
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @scope
        (generic_type type: (type_identifier) @scope)
        (pointer_type (type_identifier) @scope)
        (pointer_type (generic_type type: (type_identifier) @scope))])))
(type_spec name: (type_identifier) @name) @def.type
(type_spec type: (struct_type)) @def.struct
(type_spec type: (interface_type)) @def.interface
(type_alias name: (type_identifier) @name) @def.type
(type_spec
  type: (struct_type
    (field_declaration_list (field_declaration . name: (field_identifier) @name) @def.field)))
(type_spec
  type: (struct_type
    (field_declaration_list (field_declaration "," name: (field_identifier) @name @def.field))))
(type_spec type: (interface_type (method_elem name: (field_identifier) @name) @def.method))
(source_file (const_declaration (const_spec . name: (identifier) @name) @def.constant))
(source_file (const_declaration (const_spec "," name: (identifier) @name @def.constant)))
(source_file (var_declaration (var_spec . name: (identifier) @name) @def.variable))
(source_file (var_declaration (var_spec "," name: (identifier) @name @def.variable)))
(source_file (var_declaration (var_spec_list (var_spec . name: (identifier) @name) @def.variable)))
(source_file (var_declaration (var_spec_list (var_spec "," name: (identifier) @name @def.variable))))

(comment) @comment

(import_spec path: (_) @import.module) @import
(import_spec name: (package_identifier) @import.alias)
(import_spec name: (blank_identifier) @import.alias)
(import_spec name: (dot) @import.all)

(call_expression function: [(identifier) @call (selector_expression field: (field_identifier) @call)])
(call_expression function: (parenthesized_expression (identifier) @call))
(call_expression function: (index_expression operand: (identifier) @call))
(type_identifier) @type
(identifier) @ref
(field_identifier) @ref
(package_identifier) @ref

; -- scopes and what is known of values (parse/events.py)
(package_clause (package_identifier) @package)
(parameter_declaration name: (identifier) @bind)
(variadic_parameter_declaration name: (identifier) @bind)
(type_parameter_declaration name: (identifier) @bind.type)
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @bind.type)))
  (pointer_type (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @bind.type))))])))
(field_declaration name: (field_identifier) @skip)
(var_spec name: (identifier) @bind)
(const_spec name: (identifier) @bind)
(short_var_declaration left: (expression_list (identifier) @bind))
(range_clause left: (expression_list (identifier) @bind))
(type_switch_statement alias: (expression_list (identifier) @bind))
(receive_statement left: (expression_list (identifier) @bind))
[(func_literal) (function_type) (block) (if_statement) (for_statement) (expression_switch_statement)
  (type_switch_statement) (expression_case) (type_case) (default_case) (communication_case)] @local

(type_spec type: (struct_type (field_declaration_list (field_declaration !name type: [
  (type_identifier) @base (qualified_type) @base (generic_type type: (_) @base)]))))
(type_spec type: (interface_type (type_elem . [(type_identifier) (qualified_type)] @base .)))
(selector_expression operand: (call_expression function: (_) @recv.fn) @recv)
(selector_expression operand: (composite_literal type: [(type_identifier) (qualified_type)] @recv.fn) @recv)
(selector_expression operand: (parenthesized_expression
  [(composite_literal type: (_) @recv.fn) (unary_expression operand: (composite_literal type: (_) @recv.fn))]) @recv)
(composite_literal body: (literal_value) @literal)
(composite_literal type: [(type_identifier) (qualified_type) (generic_type) (struct_type)]
  body: (literal_value (keyed_element key: (literal_element (identifier) @literal.name))))
(literal_element (literal_value (keyed_element key: (literal_element (identifier) @literal.name))))

(type_alias type: [(type_identifier) @typed.type (qualified_type) @typed.type (generic_type type: (_) @typed.type)]) @typed
(type_spec type: [(type_identifier) @typed.type (qualified_type) @typed.type (generic_type type: (_) @typed.type)]) @typed
(parameter_declaration type: [(type_identifier) @typed.type (qualified_type) @typed.type
  (generic_type type: (_) @typed.type) (pointer_type [(type_identifier) @typed.type (qualified_type) @typed.type
  (generic_type type: (_) @typed.type)])]) @typed
(field_declaration name: (_) type: [(type_identifier) @typed.type (qualified_type) @typed.type
  (generic_type type: (_) @typed.type) (pointer_type [(type_identifier) @typed.type (qualified_type) @typed.type
  (generic_type type: (_) @typed.type)])]) @typed
(var_spec type: [(type_identifier) @typed.type (qualified_type) @typed.type
  (generic_type type: (_) @typed.type) (pointer_type [(type_identifier) @typed.type (qualified_type) @typed.type
  (generic_type type: (_) @typed.type)])]) @typed

(short_var_declaration right: (expression_list . [
  (call_expression function: (_) @assign.fn)
  (call_expression arguments: (argument_list . [(type_identifier) (qualified_type)] @assign.type))
  (composite_literal type: [(type_identifier) @assign.type (qualified_type) @assign.type (generic_type type: (_) @assign.type)])
  (unary_expression operand: (composite_literal type: [(type_identifier) @assign.type (qualified_type) @assign.type
    (generic_type type: (_) @assign.type)]))
  (type_assertion_expression type: [(type_identifier) @assign.type (qualified_type) @assign.type
    (pointer_type [(type_identifier) (qualified_type)] @assign.type)])
  [(identifier) (selector_expression)] @assign.value])) @assign
(var_spec !type value: (expression_list . [
  (call_expression function: (_) @assign.fn)
  (call_expression arguments: (argument_list . [(type_identifier) (qualified_type)] @assign.type))
  (composite_literal type: [(type_identifier) @assign.type (qualified_type) @assign.type (generic_type type: (_) @assign.type)])
  (unary_expression operand: (composite_literal type: [(type_identifier) @assign.type (qualified_type) @assign.type
    (generic_type type: (_) @assign.type)]))
  [(identifier) (selector_expression)] @assign.value])) @assign

[(function_declaration result: [(type_identifier) @returns (qualified_type) @returns (generic_type type: (_) @returns)
    (pointer_type [(type_identifier) @returns (qualified_type) @returns (generic_type type: (_) @returns)])
    (parameter_list . (parameter_declaration type: [(type_identifier) @returns (qualified_type) @returns (generic_type type: (_) @returns)
      (pointer_type [(type_identifier) @returns (qualified_type) @returns (generic_type type: (_) @returns)])]))])
  (method_declaration result: [(type_identifier) @returns (qualified_type) @returns (generic_type type: (_) @returns)
    (pointer_type [(type_identifier) @returns (qualified_type) @returns (generic_type type: (_) @returns)])
    (parameter_list . (parameter_declaration type: [(type_identifier) @returns (qualified_type) @returns (generic_type type: (_) @returns)
      (pointer_type [(type_identifier) @returns (qualified_type) @returns (generic_type type: (_) @returns)])]))])
  (method_elem result: [(type_identifier) @returns (qualified_type) @returns (generic_type type: (_) @returns)
    (pointer_type [(type_identifier) @returns (qualified_type) @returns (generic_type type: (_) @returns)])
    (parameter_list . (parameter_declaration type: [(type_identifier) @returns (qualified_type) @returns (generic_type type: (_) @returns)
      (pointer_type [(type_identifier) @returns (qualified_type) @returns (generic_type type: (_) @returns)])]))])]
