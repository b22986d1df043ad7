; What JavaScript and TypeScript have in common; their own files have the rest.
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

(call_expression
  function: (import) arguments: (arguments . (string (string_fragment) @import.module))) @import

; const x = require('m'), const {a, b: c} = require('m'), const x = require('m').y, require('m')
((variable_declarator
  name: [
    (identifier) @import.alias
    (object_pattern [
      (shorthand_property_identifier_pattern) @import.name
      (pair_pattern key: (property_identifier) @import.name value: (identifier) @import.alias)])]
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @import.module)))) @import
  (#eq? @_require "require"))
((variable_declarator
  name: (identifier) @import.alias
  value: (member_expression
    object: (call_expression
      function: (identifier) @_require
      arguments: (arguments . (string (string_fragment) @import.module)))
    property: (property_identifier) @import.name)) @import
  (#eq? @_require "require"))
; const x = await import('m'), const {a, b: c} = await import('m')
(variable_declarator
  name: [
    (identifier) @import.alias
    (object_pattern [
      (shorthand_property_identifier_pattern) @import.name
      (pair_pattern key: (property_identifier) @import.name value: (identifier) @import.alias)])]
  value: (await_expression (call_expression
    function: (import) arguments: (arguments . (string (string_fragment) @import.module))))) @import
(program (expression_statement
  (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @import.module))) @import
  (#eq? @_require "require")))

(call_expression function: [(identifier) @call (member_expression property: (_) @call)])
(new_expression constructor: [(identifier) @call (member_expression property: (_) @call)])

(identifier) @ref
(property_identifier) @ref
(private_property_identifier) @ref
(shorthand_property_identifier) @ref
(shorthand_property_identifier_pattern) @ref

; -- scopes and what is known of values (parse/events.py)
[(function_expression) (generator_function) (arrow_function)] @local
(if_statement [(statement_block (lexical_declaration)) @block (else_clause (statement_block (lexical_declaration)) @block)])
[(for_statement) (for_in_statement) (catch_clause)] @block
(while_statement (statement_block (lexical_declaration)) @block)
(do_statement (statement_block (lexical_declaration)) @block)
(try_statement body: (statement_block (lexical_declaration)) @block)
(finally_clause (statement_block (lexical_declaration)) @block)
(switch_body) @block
(statement_block (statement_block) @block)
(lexical_declaration (variable_declarator name: (identifier) @bind))
(variable_declaration (variable_declarator name: (identifier) @bind.var))
(for_in_statement left: (identifier) @bind)
(catch_clause parameter: (identifier) @bind)
(shorthand_property_identifier_pattern) @bind
(pair_pattern value: (identifier) @bind)
(array_pattern (identifier) @bind)
(rest_pattern (identifier) @bind)
(assignment_pattern left: (identifier) @bind)
(arrow_function parameter: (identifier) @bind)
(function_expression name: (identifier) @bind)

(pair key: (property_identifier) @skip)
(pair_pattern key: (property_identifier) @skip)
(this) @this
(super) @super
(method_definition "get" name: (_) @property)
(member_expression object: (call_expression function: (_) @recv.fn) @recv)
(member_expression object: (new_expression constructor: (_) @recv.fn) @recv)
(member_expression object: (parenthesized_expression [
  (new_expression constructor: (_) @recv.fn)
  (call_expression function: (_) @recv.fn)
  (await_expression (call_expression function: (_) @recv.fn))]) @recv)
(await_expression [(call_expression function: (_) @awaited) (identifier) @awaited (member_expression) @awaited])
(assignment_expression left: (member_expression object: (this) property: (_) @given))

(variable_declarator value: [
  (call_expression function: (_) @assign.fn)
  (new_expression constructor: (_) @assign.fn)
  (await_expression (call_expression function: (_) @assign.fn))
  (await_expression [(identifier) (member_expression)] @assign.value)
  [(identifier) (member_expression) (this)] @assign.value]) @assign
(assignment_expression right: [
  (call_expression function: (_) @assign.fn)
  (new_expression constructor: (_) @assign.fn)
  (await_expression (call_expression function: (_) @assign.fn))
  [(identifier) (member_expression)] @assign.value]) @assign
(return_statement [
  (call_expression function: (_) @return.fn)
  (new_expression constructor: (_) @return.fn)
  [(identifier) (member_expression) (this)] @return.value])
(arrow_function body: [
  (call_expression function: (_) @return.fn)
  (new_expression constructor: (_) @return.fn)
  [(identifier) (member_expression)] @return.value])

(export_statement declaration: (_ name: (_) @export))
(export_statement declaration: (_ (variable_declarator name: (identifier) @export)))
(export_statement "default" declaration: (_ name: (_) @export.default))
(export_statement value: (identifier) @export.default)
(export_statement !source (export_clause (export_specifier) @export))
(assignment_expression
  left: (member_expression object: (identifier) @_o) right: (identifier)
  (#any-of? @_o "exports" "module")) @export.common
(assignment_expression
  left: (member_expression object: (member_expression object: (identifier) @_o)) right: (identifier)
  (#eq? @_o "module")) @export.common
(assignment_expression
  left: (member_expression object: (identifier) @_o property: (property_identifier) @_e)
  right: (object [(shorthand_property_identifier) (pair value: (identifier))] @export.common)
  (#eq? @_o "module") (#eq? @_e "exports"))
(variable_declarator
  name: (identifier) @export.whole value: (assignment_expression) @_v
  (#match? @_v "^(exports = )?module\\.exports ="))
