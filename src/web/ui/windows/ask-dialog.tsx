import { Button, Modal } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { keepFocusAfterWindow } from "./keep-focus.ts";
import { useClosedByBack, useOpened } from "./modal.tsx";
import "./modal.css";

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
  const isOpened = useOpened(isOpen);
  const { title, text, action, keep, isDangerous = false } = question;
  const leave = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !isOpened) return;
    // The focus may still be in the dialog below, which must not close as well.
    event.stopPropagation();
    onAnswer(false);
  };
  useWindowEvent("keydown", leave, { capture: true });
  useClosedByBack(isOpen, () => onAnswer(false));
  return (
    <Modal
      opened={isOpened}
      onClose={() => onAnswer(false)}
      closeOnEscape={false}
      onExitTransitionEnd={keepFocusAfterWindow}
      title={title}
      size="sm"
      centered
      zIndex={400}
    >
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
    </Modal>
  );
}
