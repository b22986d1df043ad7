import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.TypeElement;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Prints what javac takes each name of the given folders for: tab-separated lines, as java_truth.py reads them. */
public final class Facts extends TreePathScanner<Void, Void> {
  private final Trees trees;
  private final SourcePositions positions;
  private final Path root;
  private final PrintStream out;
  private final boolean defines; // the first pass prints definitions, the second what names mean
  private CompilationUnitTree unit;
  private String text;
  private String path;

  private Facts(Trees trees, Path root, PrintStream out, boolean defines) {
    this.trees = trees;
    this.positions = trees.getSourcePositions();
    this.root = root;
    this.out = out;
    this.defines = defines;
  }

  public static void main(String[] arguments) throws IOException {
    Path root = Path.of(arguments[0]).toAbsolutePath();
    List<Path> files = new ArrayList<>();
    for (String folder : Arrays.copyOfRange(arguments, 1, arguments.length)) {
      try (Stream<Path> found = Files.walk(root.resolve(folder))) {
        files.addAll(found.filter(file -> file.toString().endsWith(".java"))
            .filter(file -> !file.endsWith("module-info.java")).sorted().collect(Collectors.toList()));
      }
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      List<String> options = List.of("-proc:none", "-Xmaxerrs", "100000", "-XDshould-stop.ifError=FLOW");
      JavacTask task = (JavacTask) compiler.getTask(
          null, manager, diagnostic -> {}, options, null, manager.getJavaFileObjectsFromPaths(files));
      List<CompilationUnitTree> units = new ArrayList<>();
      task.parse().forEach(units::add);
      task.analyze();
      PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
      for (boolean defines : new boolean[] {true, false}) {
        Facts facts = new Facts(Trees.instance(task), root, out, defines);
        for (CompilationUnitTree unit : units) {
          facts.read(unit);
        }
      }
      out.flush();
    }
  }

  private void read(CompilationUnitTree read) throws IOException {
    unit = read;
    text = read.getSourceFile().getCharContent(true).toString();
    path = root.relativize(Path.of(read.getSourceFile().toUri())).toString();
    scan(read, null);
  }

  @Override
  public Void visitClass(ClassTree tree, Void nothing) {
    define(tree, tree.getSimpleName().toString());
    return super.visitClass(tree, nothing);
  }

  @Override
  public Void visitMethod(MethodTree tree, Void nothing) {
    define(tree, tree.getName().toString());
    return super.visitMethod(tree, nothing);
  }

  @Override
  public Void visitVariable(VariableTree tree, Void nothing) {
    define(tree, tree.getName().toString());
    return super.visitVariable(tree, nothing);
  }

  private void define(Tree tree, String name) {
    Element element = trees.getElement(getCurrentPath());
    long start = positions.getStartPosition(unit, tree);
    if (!defines || element == null || start < 0 || name.isEmpty() || isLocal(element)) {
      return;
    }
    long end = positions.getEndPosition(unit, tree);
    print("definition", path, place((int) start), line((int) Math.max(start, end - 1)), qualified(element), kind(element));
  }

  @Override
  public Void visitIdentifier(IdentifierTree tree, Void nothing) {
    use(tree.getName().toString(), (int) positions.getStartPosition(unit, tree));
    return super.visitIdentifier(tree, nothing);
  }

  @Override
  public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
    String name = tree.getIdentifier().toString();
    use(name, (int) positions.getEndPosition(unit, tree) - name.length());
    return super.visitMemberSelect(tree, nothing);
  }

  @Override
  public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
    String name = tree.getName().toString();
    use(name, (int) positions.getEndPosition(unit, tree) - name.length());
    return super.visitMemberReference(tree, nothing);
  }

  private void use(String name, int start) {
    Element element = trees.getElement(getCurrentPath());
    if (defines || element == null || start < 0 || !text.startsWith(name, start) || name.equals("this")
        || name.equals("super") || name.equals("class") || element.getKind() == ElementKind.PACKAGE
        || element.asType().getKind() == javax.lang.model.type.TypeKind.ERROR) {
      return;
    }
    String place = place(start);
    if (isLocal(element)) {
      print("local", path, place, name, role());
      return;
    }
    TreePath declared = trees.getPath(element);
    if (declared == null) {
      print("library", path, place, name, role());
      return;
    }
    String target = root.relativize(Path.of(declared.getCompilationUnit().getSourceFile().toUri())).toString();
    print("fact", path, place, name, role(), target, qualified(element), kind(element));
  }

  private String role() {
    TreePath at = getCurrentPath();
    Tree tree = at.getLeaf();
    TreePath above = at.getParentPath();
    for (TreePath outer = above; outer != null; outer = outer.getParentPath()) {
      if (outer.getLeaf() instanceof ImportTree) {
        return "import";
      }
    }
    Tree parent = above.getLeaf();
    if (parent instanceof AssignmentTree && above.getParentPath().getLeaf() instanceof AnnotationTree
        && ((AssignmentTree) parent).getVariable() == tree) {
      return "key";
    }
    if (parent instanceof MethodInvocationTree && ((MethodInvocationTree) parent).getMethodSelect() == tree) {
      return "call";
    }
    if (parent instanceof NewClassTree && ((NewClassTree) parent).getIdentifier() == tree) {
      return "call";
    }
    return "ref";
  }

  /** Whether no edge can go to it: parameters, variables of a method, classes within one. */
  private static boolean isLocal(Element element) {
    switch (element.getKind()) {
      case LOCAL_VARIABLE: case PARAMETER: case EXCEPTION_PARAMETER: case RESOURCE_VARIABLE: case BINDING_VARIABLE:
      case TYPE_PARAMETER:
        return true;
      default:
        return false;
    }
  }

  private static String kind(Element element) {
    switch (element.getKind()) {
      case FIELD: case ENUM_CONSTANT: return "field";
      case METHOD: case CONSTRUCTOR: return "method";
      default: return "class";
    }
  }

  /** The name within its file; a class without a name has none, and a constructor that of its class. */
  private static String qualified(Element element) {
    String name = element.getKind() == ElementKind.CONSTRUCTOR ? "" : element.getSimpleName().toString();
    for (Element outer = element.getEnclosingElement(); outer != null && outer.getKind() != ElementKind.PACKAGE;
        outer = outer.getEnclosingElement()) {
      if (outer instanceof TypeElement || outer.getKind() == ElementKind.METHOD) {
        String around = outer.getSimpleName().toString();
        name = name.isEmpty() ? around : around.isEmpty() ? name : around + "." + name;
      }
    }
    return name;
  }

  private int line(int offset) {
    return (int) text.substring(0, offset).chars().filter(letter -> letter == '\n').count() + 1;
  }

  private String place(int offset) {
    return line(offset) + "\t" + (offset - text.lastIndexOf('\n', offset - 1));
  }

  private void print(Object... fields) {
    out.println(Arrays.stream(fields).map(String::valueOf).collect(Collectors.joining("\t")));
  }
}
