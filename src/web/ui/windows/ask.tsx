import { createContext, use, useState, type ReactNode } from "react";
import { showError } from "../toasts/show-toast.ts";
import type * as dialog from "./ask-dialog.tsx";

type Ask = (question: dialog.Question) => Promise<boolean>;

interface OpenQuestion extends dialog.Question {
  readonly Dialog: typeof dialog.AskDialog;
  readonly answer: (isYes: boolean) => void;
}

const AskContext = createContext<Ask>(() => Promise.resolve(false));

/** Asks for confirmation of an action that cannot be undone; resolves to true if confirmed. */
export function useAsk(): Ask {
  return use(AskContext);
}

export function AskProvider({ children }: { readonly children: ReactNode }) {
  const [question, setQuestion] = useState<OpenQuestion | null>(null);
  // Not derived from `question`, whose text stays while the dialog fades out.
  const [isOpen, setIsOpen] = useState(false);

  const ask: Ask = (asked) =>
    import("./ask-dialog.tsx").then(
      ({ AskDialog: Dialog }) =>
        new Promise((resolve) => {
          setQuestion({ ...asked, Dialog, answer: resolve });
          setIsOpen(true);
        }),
      // Not an error of the screen, which would lose what was typed in it.
      (error: unknown) => {
        showError(error);
        return false;
      },
    );
  const answer = (isYes: boolean): void => {
    setIsOpen(false);
    question?.answer(isYes);
  };

  return (
    <AskContext value={ask}>
      {children}
      {question === null ? null : <question.Dialog question={question} isOpen={isOpen} onAnswer={answer} />}
    </AskContext>
  );
}
