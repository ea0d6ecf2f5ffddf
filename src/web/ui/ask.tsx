import { Button, Modal } from "@mantine/core";
import { createContext, use, useState, type ReactNode } from "react";
import "./ask.css";

interface Question {
  readonly title: string;
  readonly text: string;
  /** What the button does, in words: "Supprimer 3 filtres". */
  readonly action: string;
  readonly isDangerous?: boolean;
}

type Ask = (question: Question) => Promise<boolean>;

interface OpenQuestion extends Question {
  readonly answer: (isYes: boolean) => void;
}

const AskContext = createContext<Ask>(() => Promise.resolve(false));

/** Asks before something that cannot be taken back; true when the person goes on. */
export function useAsk(): Ask {
  return use(AskContext);
}

export function AskProvider({ children }: { readonly children: ReactNode }) {
  const [question, setQuestion] = useState<OpenQuestion | null>(null);
  // The words stay while the dialog fades out.
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
      <Modal
        opened={isOpen}
        onClose={() => answer(false)}
        title={question?.title}
        size="sm"
        centered
        zIndex={400}
      >
        <p className="ask__text">{question?.text}</p>
        <div className="ask__actions">
          <Button onClick={() => answer(false)}>Non, garder</Button>
          <Button
            data-autofocus
            variant={question?.isDangerous === true ? "danger" : "filled"}
            onClick={() => answer(true)}
          >
            {question?.action}
          </Button>
        </div>
      </Modal>
    </AskContext>
  );
}
