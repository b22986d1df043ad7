(module name: (_) @name) @def.module
(class name: (_) @name) @def.class
(method name: (_) @name) @def.function
(module (body_statement [(method) (singleton_method)] @def.method))
(singleton_class (body_statement (method) @def.method))
(method name: (identifier) @name (#eq? @name "initialize")) @def.constructor
(singleton_method name: (_) @name) @def.function
(alias name: (identifier) @name) @def.method
(assignment left: [(constant) (scope_resolution)] @name) @def.constant
(program (assignment left: (global_variable) @name) @def.variable)
(body_statement
  (call
    method: (identifier) @_attribute
    arguments: (argument_list (simple_symbol) @name @def.property)
    (#any-of? @_attribute "attr_accessor" "attr_reader" "attr_writer")))

(comment) @comment

((call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list . (string (string_content) @import.module) .)) @import
  (#any-of? @_require "require" "require_relative" "load"))
((call
  !receiver
  method: (identifier) @_autoload
  arguments: (argument_list . (simple_symbol) @import.name . (string (string_content) @import.module) .)) @import
  (#eq? @_autoload "autoload"))

(call method: [(identifier) (constant)] @call)
(superclass (constant) @type)
(superclass (scope_resolution name: (constant) @type))
(identifier) @ref
(constant) @ref
(instance_variable) @ref
(class_variable) @ref
(global_variable) @ref
(hash_key_symbol) @ref
