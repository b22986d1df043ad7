(rule_set (selectors . (_) @name)) @def.rule
(media_statement . (_) @name) @def.rule
(supports_statement . (_) @name) @def.rule
(keyframes_statement (keyframes_name) @name) @def.rule
(at_rule (at_keyword) @name) @def.rule
((declaration (property_name) @name) @def.property (#match? @name "^--"))

(comment) @comment

(import_statement) @import
(import_statement (string_value) @import.module)
(import_statement (call_expression (arguments (_) @import.module)))

[(class_name) (id_name)] @ref
(call_expression (arguments (plain_value) @ref))
