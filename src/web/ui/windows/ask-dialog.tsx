import { Button } from "@mantine/core";
import { Dialog } from "./dialog.tsx";

export interface Question {
  readonly title: string;
  readonly text: string;
  /** Label of the button that confirms: "Supprimer 3 filtres". */
  readonly action: string;
  /** Label of the button that cancels: "Garder les filtres". */
  readonly keep: string;
  readonly isDangerous?: boolean;
}

interface AskDialogProps {
  readonly question: Question;
  readonly isOpen: boolean;
  readonly onAnswer: (isYes: boolean) => void;
}

/** The dialog that useAsk() opens. */
export function AskDialog({ question, isOpen, onAnswer }: AskDialogProps) {
  const { title, text, action, keep, isDangerous = false } = question;
  return (
    <Dialog isOpen={isOpen} onClose={() => onAnswer(false)} title={title} size="sm" centered zIndex={400}>
      <p className="dim">{text}</p>
      <div className="ask__actions buttons" data-align="end">
        {/* Gets the focus: a repeated key press must change nothing. */}
        <Button data-autofocus onClick={() => onAnswer(false)}>
          {keep}
        </Button>
        <Button variant={isDangerous ? "danger" : "filled"} onClick={() => onAnswer(true)}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
