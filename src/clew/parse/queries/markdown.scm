(section (atx_heading heading_content: (inline) @name)) @def.section
(setext_heading heading_content: (paragraph (inline) @name)) @def.section
