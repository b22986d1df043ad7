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

(comment) @comment

(import_statement source: (string (string_fragment) @import.module)) @import
(import_clause (identifier) @import.default)
(namespace_import (identifier) @import.alias)
(import_specifier name: _ @import.name)
(import_specifier alias: (identifier) @import.alias)
(export_statement source: (string (string_fragment) @import.module)) @import
(export_statement "*" @import.all source: (string))
(namespace_export (_) @import.alias)
(export_statement (export_clause (export_specifier name: _ @import.name)) source: (string))
(export_statement (export_clause (export_specifier alias: _ @import.alias)) source: (string))
(import_alias (identifier) @import.alias . (_) @import.module) @import
(import_require_clause (identifier) @import.alias source: (string (string_fragment) @import.module))
(import_statement (import_require_clause)) @import
(call_expression
  function: (import) arguments: (arguments . (string (string_fragment) @import.module))) @import

; const x = require('m'), const {a, b: c} = require('m'), const x = require('m').y, require('m')
(program (_
  (variable_declarator
    name: [
      (identifier) @import.alias
      (object_pattern [
        (shorthand_property_identifier_pattern) @import.name
        (pair_pattern key: (property_identifier) @import.name value: (identifier) @import.alias)])]
    value: (call_expression
      function: (identifier) @_require
      arguments: (arguments . (string (string_fragment) @import.module)))) @import
  (#eq? @_require "require")))
(program (_
  (variable_declarator
    name: (identifier) @import.alias
    value: (member_expression
      object: (call_expression
        function: (identifier) @_require
        arguments: (arguments . (string (string_fragment) @import.module)))
      property: (property_identifier) @import.name)) @import
  (#eq? @_require "require")))
(program (expression_statement
  (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @import.module))) @import
  (#eq? @_require "require")))

(call_expression function: [(identifier) @call (member_expression property: (_) @call)])
(new_expression constructor: [(identifier) @call (member_expression property: (_) @call)])
(extends_clause value: [(identifier) @type (member_expression property: (_) @type)])
(type_identifier) @type
(identifier) @ref
(property_identifier) @ref
(private_property_identifier) @ref
(shorthand_property_identifier) @ref
(shorthand_property_identifier_pattern) @ref
