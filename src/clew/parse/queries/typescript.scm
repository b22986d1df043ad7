(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @def.function
(class_declaration name: (type_identifier) @name) @def.class
(abstract_class_declaration name: (type_identifier) @name) @def.class
(variable_declarator name: (identifier) @name value: (class)) @def.class
(method_definition name: (_) @name) @def.method
(method_definition name: (property_identifier) @name (#eq? @name "constructor")) @def.constructor
(pair
  key: [(property_identifier) @name (string (string_fragment) @name)]
  value: [(arrow_function) (function_expression) (generator_function)]) @def.method
(public_field_definition name: (_) @name) @def.field
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @def.method

; f = function, exports.f = function, app.f = function, Foo.prototype.f = function
(assignment_expression
  left: (identifier) @name
  right: [(arrow_function) (function_expression) (generator_function)]) @def.function
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#not-eq? @name "exports")) @def.function
(assignment_expression
  left: (member_expression object: (identifier) @scope)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#not-eq? @scope "exports")
  (#not-eq? @scope "module"))
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @scope property: (property_identifier) @_prototype))
  right: [(arrow_function) (function_expression) (generator_function)]
  (#eq? @_prototype "prototype"))
(assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: (function_expression name: (identifier) @name)
  (#eq? @_exports "exports")) @def.function
(assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: (class name: (type_identifier) @name)
  (#eq? @_exports "exports")) @def.class
(assignment_expression
  left: (member_expression object: (identifier) @name property: (property_identifier) @_prototype)
  right: (object)
  (#eq? @_prototype "prototype")) @def.object

(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @def.constant))
(program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @def.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @def.variable))
(export_statement
  declaration: (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @def.constant))
(export_statement
  declaration: (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @def.variable))
(export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name) @def.variable))

(function_signature name: (identifier) @name) @def.function
(method_signature name: (_) @name) @def.method
(abstract_method_signature name: (_) @name) @def.method
(interface_declaration name: (type_identifier) @name) @def.interface
(interface_body (property_signature name: (_) @name) @def.property)
(type_alias_declaration name: (type_identifier) @name) @def.type
(type_alias_declaration value: (object_type (property_signature name: (_) @name) @def.property))
(enum_declaration name: (identifier) @name) @def.enum
(enum_body name: (property_identifier) @name @def.enum_member)
(enum_assignment name: (property_identifier) @name) @def.enum_member
(internal_module name: (_) @name) @def.namespace
(module name: [(identifier) @name (nested_identifier) @name (string (string_fragment) @name)]) @def.module
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @def.property
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @def.constant))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @def.variable))

(import_alias (identifier) @import.alias . (_) @import.module) @import
(import_require_clause (identifier) @import.alias source: (string (string_fragment) @import.module))
(import_statement (import_require_clause)) @import
(extends_clause value: [(identifier) @type (member_expression property: (_) @type)])
(type_identifier) @type
[(function_type) (constructor_type) (call_signature) (construct_signature) (mapped_type_clause)] @local
(export_statement declaration: (ambient_declaration (_ name: (_) @export)))
(export_statement declaration: (ambient_declaration (_ (variable_declarator name: (identifier) @export))))
(required_parameter pattern: (identifier) @bind)
(optional_parameter pattern: (identifier) @bind)
(type_parameter name: (type_identifier) @bind)
(mapped_type_clause name: (type_identifier) @bind)
(infer_type . (type_identifier) @bind)
(property_signature name: (_) @skip)
(index_signature name: (identifier) @skip)
(property_signature name: (property_identifier) @never type: (type_annotation (predefined_type) @_n) (#eq? @_n "never"))

(class_heritage (extends_clause value: [(identifier) (member_expression)] @base))
(class_heritage (extends_clause value: (call_expression arguments: (arguments [(identifier) (member_expression)] @base))))
(class_heritage (implements_clause [
  (type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)]))
(extends_type_clause [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)])
(type_alias_declaration value: [
  (type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)
  (intersection_type [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)])
  (intersection_type (intersection_type [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)]))
  (union_type [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)])
  (union_type (union_type [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)]))
  (union_type (union_type (union_type [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)])))])
(required_parameter pattern: _ @typed type: (type_annotation [
  (type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)
  (union_type . [(type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)] (literal_type [(null) (undefined)]))]))
(optional_parameter pattern: _ @typed type: (type_annotation [
  (type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)
  (union_type . [(type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)] (literal_type [(null) (undefined)]))]))
(variable_declarator name: _ @typed type: (type_annotation [
  (type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)
  (union_type . [(type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)] (literal_type [(null) (undefined)]))]))
(public_field_definition name: _ @typed type: (type_annotation [
  (type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)
  (union_type . [(type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)] (literal_type [(null) (undefined)]))]))
(property_signature name: _ @typed type: (type_annotation [
  (type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)
  (union_type . [(type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)] (literal_type [(null) (undefined)]))]))
([
  (required_parameter pattern: _ @typed type: (type_annotation (generic_type name: (type_identifier) @_w
    type_arguments: (type_arguments . [(type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)]))))
  (optional_parameter pattern: _ @typed type: (type_annotation (generic_type name: (type_identifier) @_w
    type_arguments: (type_arguments . [(type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)]))))
  (variable_declarator name: _ @typed type: (type_annotation (generic_type name: (type_identifier) @_w
    type_arguments: (type_arguments . [(type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)]))))
  (public_field_definition name: _ @typed type: (type_annotation (generic_type name: (type_identifier) @_w
    type_arguments: (type_arguments . [(type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)]))))
  (property_signature name: _ @typed type: (type_annotation (generic_type name: (type_identifier) @_w
    type_arguments: (type_arguments . [(type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)]))))
] (#any-of? @_w "Partial" "Required" "Readonly" "NonNullable" "Omit" "Pick" "Awaited"))
([
  (required_parameter pattern: _ @typed type: (type_annotation (generic_type name: (type_identifier) @_w
    type_arguments: (type_arguments . [(type_identifier) @typed.promised (nested_type_identifier) @typed.promised (generic_type name: (_) @typed.promised)]))))
  (optional_parameter pattern: _ @typed type: (type_annotation (generic_type name: (type_identifier) @_w
    type_arguments: (type_arguments . [(type_identifier) @typed.promised (nested_type_identifier) @typed.promised (generic_type name: (_) @typed.promised)]))))
  (variable_declarator name: _ @typed type: (type_annotation (generic_type name: (type_identifier) @_w
    type_arguments: (type_arguments . [(type_identifier) @typed.promised (nested_type_identifier) @typed.promised (generic_type name: (_) @typed.promised)]))))
  (public_field_definition name: _ @typed type: (type_annotation (generic_type name: (type_identifier) @_w
    type_arguments: (type_arguments . [(type_identifier) @typed.promised (nested_type_identifier) @typed.promised (generic_type name: (_) @typed.promised)]))))
  (property_signature name: _ @typed type: (type_annotation (generic_type name: (type_identifier) @_w
    type_arguments: (type_arguments . [(type_identifier) @typed.promised (nested_type_identifier) @typed.promised (generic_type name: (_) @typed.promised)]))))
] (#eq? @_w "Promise"))
(variable_declarator name: _ @typed value: (as_expression (_) [
  (type_identifier) @typed.type (nested_type_identifier) @typed.type (generic_type name: (_) @typed.type)]))
(type_parameter name: (type_identifier) @bound constraint: (constraint [
  (type_identifier) @bound.type (nested_type_identifier) @bound.type (generic_type name: (_) @bound.type)]))
(public_field_definition name: _ @assign.name value: [
  (call_expression function: (_) @assign.fn)
  (new_expression constructor: (_) @assign.fn)
  [(identifier) (member_expression)] @assign.value]) @assign.field
(_ return_type: (type_annotation [
  (type_identifier) @returns (nested_type_identifier) @returns (generic_type name: (_) @returns)]))
(_ return_type: (type_annotation (union_type . [
  (type_identifier) @returns (nested_type_identifier) @returns (generic_type name: (_) @returns)]
  (literal_type [(null) (undefined)]))))
(_ return_type: (type_annotation (generic_type name: (type_identifier) @_p
  type_arguments: (type_arguments . [
    (type_identifier) @returns.promised (nested_type_identifier) @returns.promised (generic_type name: (_) @returns.promised)]))
  (#eq? @_p "Promise")))
(_ return_type: (type_annotation (this_type) @this @returns))
(member_expression object: (parenthesized_expression (as_expression (_) [(type_identifier) @cast (nested_type_identifier) @cast])) @cast.of)
