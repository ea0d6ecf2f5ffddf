import type { FiltreDraft, problemsOf } from "./draft.ts";

/** What every part of the form is given. */
export interface DraftPartProps {
  readonly draft: FiltreDraft;
  /** Empty until the person tried to save. */
  readonly problems: ReturnType<typeof problemsOf>;
  readonly onChange: (changes: Partial<FiltreDraft>) => void;
}
