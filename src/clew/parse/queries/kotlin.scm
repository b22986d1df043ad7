(class_declaration "class" name: (identifier) @name) @def.class
(class_declaration "interface" name: (identifier) @name) @def.interface
(class_declaration name: (identifier) @name (enum_class_body)) @def.enum
(object_declaration name: (identifier) @name) @def.object
(companion_object name: (identifier) @name) @def.object
(enum_entry . (identifier) @name) @def.enum_member
(enum_entry (modifiers) . (identifier) @name) @def.enum_member
(secondary_constructor "constructor" @name) @def.constructor
(function_declaration name: (identifier) @name) @def.function
(enum_entry (class_body (function_declaration name: (identifier) @name) @def.method))
(function_declaration [(user_type (identifier) @scope) (nullable_type (user_type (identifier) @scope))] . name: (identifier))
(type_alias type: (identifier) @name) @def.type
(class_parameter ["val" "var"] (identifier) @name) @def.property
(source_file (property_declaration (variable_declaration . (identifier) @name)) @def.variable)
(source_file (property_declaration (modifiers (property_modifier "const")) (variable_declaration . (identifier) @name)) @def.constant)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @def.property)
(class_body (property_declaration (modifiers (property_modifier "const")) (variable_declaration . (identifier) @name)) @def.constant)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @def.property)
(property_declaration [(user_type (identifier) @scope) (nullable_type (user_type (identifier) @scope))] . (variable_declaration))

[(line_comment) (block_comment)] @comment

(import (qualified_identifier) @import.module) @import
(import "as" (identifier) @import.alias)
(import "*" @import.all)

(call_expression . (identifier) @call)
(call_expression . (navigation_expression (identifier) @call .))
(constructor_invocation (user_type (identifier) @call .))
(constructor_invocation (user_type (identifier) @call . (type_arguments)))
(user_type (identifier) @type)
(identifier) @ref

; -- scopes and what is known of values (parse/events.py)
(object_literal (class_body (function_declaration name: (identifier) @name) @def.method))
(package_header (qualified_identifier) @package)
(package_header (qualified_identifier (identifier) @skip))
(lambda_literal) @local @implicit
[(anonymous_function) (getter) (setter)] @local
[(block) (for_statement) (catch_block) (when_expression)] @block
(object_literal) @anonymous
; Whose `this` may be another, and those that are known to have none.
(annotated_lambda (lambda_literal) @with)
(value_argument (lambda_literal) @with)
((call_expression
  . [(identifier) @_f (navigation_expression (identifier) @_f .)
     (call_expression . [(identifier) @_f (navigation_expression (identifier) @_f .)])]
  [(annotated_lambda (lambda_literal) @plain) (value_arguments (value_argument (lambda_literal) @plain))])
  (#any-of? @_f
    "let" "also" "takeIf" "takeUnless" "repeat" "lazy" "synchronized" "use" "useLines" "require" "requireNotNull"
    "check" "checkNotNull" "error" "runCatching" "getOrElse" "getOrPut" "ifEmpty" "ifBlank" "onSuccess" "onFailure"
    "forEach" "forEachIndexed" "onEach" "map" "mapIndexed" "mapNotNull" "mapTo" "mapKeys" "mapValues" "flatMap"
    "filter" "filterNot" "filterIndexed" "filterKeys" "filterValues" "first" "firstOrNull" "last" "lastOrNull" "find"
    "findLast" "single" "singleOrNull" "any" "all" "none" "count" "sumOf" "sumBy" "maxBy" "maxByOrNull" "maxOf" "minBy"
    "minByOrNull" "minOf" "fold" "foldRight" "reduce" "associate" "associateBy" "associateWith" "groupBy" "partition"
    "sortedBy" "sortedByDescending" "sortedWith" "sortBy" "sortByDescending" "compareBy" "distinctBy" "joinToString"
    "joinTo" "zip" "takeWhile" "dropWhile" "indexOfFirst" "indexOfLast" "removeIf" "removeAll" "retainAll" "thread"
    "computeIfAbsent" "withLock" "assertFailsWith" "assertThrows" "assertFails" "measureTimeMillis" "List" "Array"
    "launch" "async" "runBlocking" "runTest" "withContext" "coroutineScope" "supervisorScope" "withTimeout"
    "withTimeoutOrNull" "collect" "generateSequence" "invokeOnCompletion" "suspendCancellableCoroutine"))
(variable_declaration (identifier) @bind)
(parameter (identifier) @bind)
(class_parameter (identifier) @bind . (_))
(setter . (identifier) @bind)
(catch_block . (identifier) @bind)
(type_parameter (identifier) @bind)
(this_expression) @this
(super_expression) @super
(this_expression (identifier) @skip)
(return_expression label: (identifier) @skip)
(labeled_expression (identifier) @skip)
(value_argument . (identifier) @skip "=")
(infix_expression . (_) . (identifier) @skip . (_) .)
((navigation_expression (identifier) @skip .) (#eq? @skip "class"))

(delegation_specifier [
  (user_type (identifier) @base .) (user_type (identifier) @base . (type_arguments) .)
  (constructor_invocation [(user_type (identifier) @base .) (user_type (identifier) @base . (type_arguments) .)])
  (explicit_delegation . [(user_type (identifier) @base .) (user_type (identifier) @base . (type_arguments) .)])])
(type_parameter (identifier) @bound [
  (user_type (identifier) @bound.type .) (user_type (identifier) @bound.type . (type_arguments) .)])
(navigation_expression . [
  (call_expression . [(identifier) (navigation_expression)] @recv.fn) @recv
  (call_expression . (call_expression . [(identifier) (navigation_expression)] @recv.fn)) @recv
  (unary_expression argument: (call_expression . [(identifier) (navigation_expression)] @recv.fn) @recv)])
(navigation_expression . (parenthesized_expression (as_expression right: [
  (user_type (identifier) @cast .) (user_type (identifier) @cast . (type_arguments) .)])) @cast.of)

([(variable_declaration (identifier) @typed [
    (user_type (identifier) @typed.type .) (user_type (identifier) @typed.type . (type_arguments) .)
    (nullable_type (user_type (identifier) @typed.type .))
    (nullable_type (user_type (identifier) @typed.type . (type_arguments) .))])
  (parameter (identifier) @typed [
    (user_type (identifier) @typed.type .) (user_type (identifier) @typed.type . (type_arguments) .)
    (nullable_type (user_type (identifier) @typed.type .))
    (nullable_type (user_type (identifier) @typed.type . (type_arguments) .))])
  (class_parameter (identifier) @typed . [
    (user_type (identifier) @typed.type .) (user_type (identifier) @typed.type . (type_arguments) .)
    (nullable_type (user_type (identifier) @typed.type .))
    (nullable_type (user_type (identifier) @typed.type . (type_arguments) .))])
  (catch_block . (identifier) @typed . (user_type (identifier) @typed.type .))
  (type_alias type: (identifier) @typed [
    (user_type (identifier) @typed.type .) (user_type (identifier) @typed.type . (type_arguments) .)])])
(property_declaration (variable_declaration (identifier) @held) . [
  (call_expression . [(identifier) @held.fn (navigation_expression (identifier) @held.fn .)] . [
    (value_arguments) (type_arguments)])
  [(identifier) (navigation_expression) (this_expression)] @held.value
  (as_expression right: [(user_type (identifier) @held.type .) (user_type (identifier) @held.type . (type_arguments) .)])
])
(function_declaration (function_value_parameters) . [
  (user_type (identifier) @returns .) (user_type (identifier) @returns . (type_arguments) .)
  (nullable_type (user_type (identifier) @returns .))
  (nullable_type (user_type (identifier) @returns . (type_arguments) .))])
(function_declaration (function_value_parameters) . (function_body . (call_expression
  . [(identifier) @return.fn (navigation_expression (identifier) @return.fn .)] . [(value_arguments) (type_arguments)])))
