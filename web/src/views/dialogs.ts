/** Questions that must be answered before something is lost. */
import { h } from "../dom";

/** Ask what to put back to the stub; undefined when nothing. */
export function askReset(step: string, file: string): Promise<"step" | "file" | undefined> {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { class: "question", "aria-labelledby": "reset-title" },
      h("h2", { id: "reset-title" }, "Go back to the stub?"),
      h("p", {}, "What you wrote there will be gone from the editor."),
      h(
        "form",
        { method: "dialog" },
        h("button", { value: "step" }, `Only ${step}`),
        h("button", { value: "file" }, `All of ${file}`),
        h("button", { value: "", class: "primary", autofocus: true }, "Keep my text"),
      ),
    );
    dialog.addEventListener("close", () => {
      const { returnValue } = dialog;
      dialog.remove();
      resolve(returnValue === "step" || returnValue === "file" ? returnValue : undefined);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
