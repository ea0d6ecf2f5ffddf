import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconMapPin, IconPlus, IconTrash } from "@tabler/icons-react";
import { useState, type KeyboardEvent } from "react";
import { MAX_RELAIS, MAX_RELAIS_LENGTH } from "#contract/bounds.ts";
import "./relay-list.css";

interface RelayListProps {
  readonly relais: readonly string[];
  readonly onChange: (relais: readonly string[]) => void;
}

/** The relay points, the first one that the marketplace offers is used. */
export function RelayList({ relais, onChange }: RelayListProps) {
  /** Null while the field is closed. */
  const [name, setName] = useState<string | null>(null);
  const trimmed = name?.trim() ?? "";
  const add = (): void => {
    if (trimmed === "") return;
    onChange(relais.includes(trimmed) ? relais : [...relais, trimmed]);
    setName(null);
  };
  const addOnEnter = (event: KeyboardEvent): void => {
    if (event.key !== "Enter") return;
    // Enter adds the relay; it does not save the whole form.
    event.preventDefault();
    add();
  };
  return (
    <div className="relay-list" role="group" aria-labelledby="points-relais">
      <h4 id="points-relais">Points relais</h4>
      {relais.length === 0 ? (
        <p className="relay-list__none">Aucun : la livraison se fera à l'adresse principale.</p>
      ) : (
        <ul>
          {relais.map((relay) => (
            <li key={relay}>
              <IconMapPin size={18} stroke={1.7} aria-hidden="true" />
              <span>{relay}</span>
              <ActionIcon
                variant="danger-quiet"
                aria-label={`Retirer ${relay}`}
                onClick={() => onChange(relais.filter((each) => each !== relay))}
              >
                <IconTrash size={18} stroke={1.7} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      {name === null ? (
        <Button
          leftSection={<IconPlus size={18} stroke={2} />}
          disabled={relais.length >= MAX_RELAIS}
          onClick={() => setName("")}
        >
          Ajouter
        </Button>
      ) : (
        <div className="relay-list__new">
          <TextInput
            label="Nom du point relais"
            autoComplete="off"
            maxLength={MAX_RELAIS_LENGTH}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            onKeyDown={addOnEnter}
            ref={focusAtOnce}
          />
          <div className="relay-list__buttons">
            <Button onClick={() => setName(null)}>Annuler</Button>
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
}
