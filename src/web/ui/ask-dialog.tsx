import { Button, Modal } from "@mantine/core";
import { useOpened } from "./use-opened.ts";
import "./ask-dialog.css";

export interface Question {
  readonly title: string;
  readonly text: string;
  /** What the button does, in words: "Supprimer 3 filtres". */
  readonly action: string;
  readonly isDangerous?: boolean;
}

interface AskDialogProps {
  readonly question: Question;
  readonly isOpen: boolean;
  readonly onAnswer: (isYes: boolean) => void;
}

/** The dialog that useAsk() opens. */
export function AskDialog({ question, isOpen, onAnswer }: AskDialogProps) {
  const isOpened = useOpened(isOpen);
  const { title, text, action, isDangerous = false } = question;
  return (
    <Modal opened={isOpened} onClose={() => onAnswer(false)} title={title} size="sm" centered zIndex={400}>
      <p className="ask__text">{text}</p>
      <div className="ask__actions">
        <Button onClick={() => onAnswer(false)}>Non, garder</Button>
        <Button data-autofocus variant={isDangerous ? "danger" : "filled"} onClick={() => onAnswer(true)}>
          {action}
        </Button>
      </div>
    </Modal>
  );
}
