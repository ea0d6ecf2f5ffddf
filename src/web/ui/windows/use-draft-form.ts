import { useEffect, useState, type SubmitEvent } from "react";
import { CallError, errorText } from "../../api/client.ts";
import { isChanged } from "../changed-parts.ts";
import { keepFocusInForm } from "./modal.tsx";

interface DraftFormProps<Draft> {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
  readonly problems: Partial<Record<keyof Draft, string>>;
  /** It is not sent for another reason, which the form shows itself. */
  readonly isHeldBack?: boolean;
  readonly send: () => void;
  /** The mutation that `send` starts. */
  readonly save: { readonly error: unknown; readonly reset: () => void };
  /** Maps the server's field name to the form's. */
  readonly fieldOf?: (name: string | undefined) => keyof Draft | undefined;
}

/** A form in a dialog: it shows its problems from the first attempt to save on, then also what the server refused. */
export function useDraftForm<Draft extends object>({
  draft,
  onChange,
  problems,
  isHeldBack = false,
  send,
  save,
  fieldOf = () => undefined,
}: DraftFormProps<Draft>) {
  const [wasTried, setWasTried] = useState(false);
  const { error } = save;
  useEffect(() => {
    // Not when the call is answered: the refused field is marked invalid only by the render that follows.
    if (error !== null) keepFocusInForm();
  }, [error]);
  const refusal = error === null ? null : errorText(error);
  const refused = error instanceof CallError ? fieldOf(error.field) : undefined;
  const atField: Partial<Record<PropertyKey, string | null>> =
    refused === undefined ? {} : { [refused]: refusal };
  const shown: Partial<Record<keyof Draft, string>> = { ...(wasTried ? problems : {}), ...atField };
  return {
    wasTried,
    /** The problem at each field. */
    shown,
    /** What the server refused, where no field shows it. */
    refusal: refused === undefined ? refusal : null,
    set: (changes: Partial<Draft>): void => {
      onChange(changes);
      // The change may have fixed what the server refused; a field that is only left has changed nothing.
      if (error !== null && isChanged(changes, draft)) save.reset();
    },
    submit: (event: SubmitEvent<HTMLFormElement>): void => {
      event.preventDefault();
      setWasTried(true);
      if (Object.keys(problems).length === 0 && !isHeldBack) send();
      else keepFocusInForm();
    },
  };
}
