(_ [
    (start_tag (attribute (attribute_name) @_id [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))
    (self_closing_tag (attribute (attribute_name) @_id [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))
  ] (#eq? @_id "id")) @def.element

(comment) @comment

(script_element (start_tag (attribute (attribute_name) @_src (quoted_attribute_value (attribute_value) @import.module))
  (#eq? @_src "src")) @import)
(element (_ . (tag_name) @_link (attribute (attribute_name) @_href (quoted_attribute_value (attribute_value) @import.module))
  (#eq? @_link "link") (#eq? @_href "href")) @import)
