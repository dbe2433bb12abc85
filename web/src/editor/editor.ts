/** The code editor: CodeMirror with Python. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

interface Options {
  label: string;
  text: string;
  describedBy?: string;
  small?: boolean;
  onChange(text: string): void;
  /** Ctrl-Enter or Cmd-Enter. */
  onSubmit(): void;
}

export function createEditor(options: Options): EditorView {
  return new EditorView({ state: EditorState.create({ doc: options.text, extensions: extensions(options) }) });
}

/** Put another text into an editor, as a change that can be undone. */
export function replaceText(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

/** Show a place near the top without taking the focus. */
export function reveal(view: EditorView, position: number): void {
  view.dispatch({
    selection: { anchor: position },
    effects: EditorView.scrollIntoView(position, { y: "start", yMargin: 12 }),
  });
}

function extensions({ label, describedBy, small, onChange, onSubmit }: Options): Extension[] {
  const submit = () => {
    onSubmit();
    return true;
  };
  return [
    // Lines end as in the file that was opened; what is downloaded is what was typed.
    EditorState.lineSeparator.of("\n"),
    small ? [] : [lineNumbers(), highlightActiveLineGutter()],
    highlightSpecialChars(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    indentOnInput(),
    indentUnit.of("    "),
    EditorState.tabSize.of(4),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ activateOnTyping: false }),
    highlightSelectionMatches(),
    python(),
    syntaxHighlighting(classHighlighter),
    keymap.of([
      { key: "Mod-Enter", run: submit },
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...completionKeymap,
      // Escape and then Tab leaves the editor.
      indentWithTab,
    ]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      tabindex: "0",
      "aria-label": label,
      ...(describedBy ? { "aria-describedby": describedBy } : {}),
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}
