import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconMapPin, IconPlus, IconTrash } from "@tabler/icons-react";
import { useRef, type KeyboardEvent } from "react";
import { MAX_RELAIS, MAX_RELAIS_LENGTH } from "#contract/bounds.ts";
import { keepFocus } from "../../ui/windows/keep-focus.ts";
import type { SettingsDraft, SettingsPartProps } from "./settings-draft.ts";

/** The relay points in order of preference: the first that the marketplace offers is used. */
export function RelayList({ draft, problems, onChange }: SettingsPartProps) {
  const { relais, newRelay: name } = draft;
  const opener = useRef<HTMLButtonElement>(null);
  const trimmed = name?.trim() ?? "";
  const close = (changes: Partial<SettingsDraft> = {}): void => {
    onChange({ ...changes, newRelay: null });
    keepFocus(() => opener.current);
  };
  const add = (): void => {
    if (trimmed === "") return;
    close(relais.includes(trimmed) ? {} : { relais: [...relais, trimmed] });
  };
  const remove = (relay: string): void => {
    onChange({ relais: relais.filter((each) => each !== relay) });
    keepFocus(() => opener.current);
  };
  const addOnEnter = (event: KeyboardEvent): void => {
    if (event.key !== "Enter") return;
    // Enter adds the relay; it does not save the whole form.
    event.preventDefault();
    add();
  };
  const closeOnEscape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    // Closes only the field, not the dialog.
    event.stopPropagation();
    close();
  };
  return (
    <div className="relay-list stack" data-gap="8" role="group" aria-labelledby="points-relais">
      <h4 id="points-relais">Points relais</h4>
      {relais.length === 0 ? (
        <p className="aside">Aucun : la livraison se fera à l'adresse principale.</p>
      ) : (
        <ul className="ruled">
          {relais.map((relay) => (
            <li key={relay} className="line">
              <IconMapPin className="dim" size={18} stroke={1.7} aria-hidden="true" />
              <span>{relay}</span>
              <ActionIcon
                variant="danger-quiet"
                aria-label={`Retirer ${relay}`}
                onClick={() => remove(relay)}
              >
                <IconTrash size={18} stroke={1.7} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      {name === null ? (
        <Button
          ref={opener}
          leftSection={<IconPlus size={18} stroke={2} />}
          disabled={relais.length >= MAX_RELAIS}
          onClick={() => onChange({ newRelay: "" })}
        >
          Ajouter
        </Button>
      ) : (
        <div className="relay-list__new stack" data-gap="8" role="presentation" onKeyDown={closeOnEscape}>
          <TextInput
            label="Nom du point relais"
            maxLength={MAX_RELAIS_LENGTH}
            value={name}
            error={problems.newRelay}
            onChange={(event) => onChange({ newRelay: event.currentTarget.value })}
            onKeyDown={addOnEnter}
            ref={focusAtOnce}
          />
          <div className="buttons" data-align="end">
            <Button onClick={() => close()}>Annuler</Button>
            <Button variant="filled" disabled={trimmed === ""} onClick={add}>
              Ajouter
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

function focusAtOnce(input: HTMLInputElement | null): void {
  input?.focus();
  // Shows the field's buttons too, which would be below the fold on a phone.
  input?.closest(".relay-list__new")?.scrollIntoView({ block: "nearest" });
}
