import { createContext, lazy, Suspense, use, useState, type ReactNode } from "react";
import type { Question } from "./ask-dialog.tsx";

type Ask = (question: Question) => Promise<boolean>;

interface OpenQuestion extends Question {
  readonly answer: (isYes: boolean) => void;
}

const AskDialog = lazy(async () => ({ default: (await import("./ask-dialog.tsx")).AskDialog }));

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
    new Promise((resolve) => {
      setQuestion({ ...asked, answer: resolve });
      setIsOpen(true);
    });
  const answer = (isYes: boolean): void => {
    setIsOpen(false);
    question?.answer(isYes);
  };

  return (
    <AskContext value={ask}>
      {children}
      {question === null ? null : (
        <Suspense>
          <AskDialog question={question} isOpen={isOpen} onAnswer={answer} />
        </Suspense>
      )}
    </AskContext>
  );
}
