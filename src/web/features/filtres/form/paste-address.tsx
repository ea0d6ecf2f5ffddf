import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { brandById } from "#catalogue/brand-titles.ts";
import { Notice } from "../../../ui/notice.tsx";
import type { FiltreDraft } from "./draft.ts";
import { readSearchAddress, type ReadAddress } from "./search-address.ts";

const MAX_ADDRESS_LENGTH = 4_000;
const NO_ADDRESS_TEXT = "Ce n'est pas l'adresse d'une recherche : copiez-la depuis la barre du navigateur.";

interface PasteAddressProps {
  readonly onRead: (changes: Partial<FiltreDraft>) => void;
}

/** Fills the form from the address of a search on the marketplace; nothing is sent anywhere. */
export function PasteAddress({ onRead }: PasteAddressProps) {
  const [text, setText] = useState("");
  const [read, setRead] = useState<ReadAddress | null>(null);
  const [isRefused, setIsRefused] = useState(false);
  const take = (address: string): void => {
    const result = readSearchAddress(address, (id) => brandById(id) !== undefined);
    setRead(result);
    setIsRefused(result === null);
    if (result !== null) onRead(result.changes);
  };
  return (
    <div className="paste-address">
      <div className="paste-address__line">
        <TextInput
          label="Adresse d'une recherche Vinted"
          placeholder="https://www.vinted.fr/catalog?…"
          type="url"
          autoComplete="off"
          spellCheck={false}
          maxLength={MAX_ADDRESS_LENGTH}
          value={text}
          error={isRefused ? NO_ADDRESS_TEXT : undefined}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setIsRefused(false);
          }}
          // A pasted address is read immediately; a typed one waits for the button.
          onPaste={(event) => {
            const pasted = event.clipboardData.getData("text");
            if (event.currentTarget.value === "") take(pasted);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            // Enter reads the address; it does not save the whole form.
            event.preventDefault();
            take(text);
          }}
          ref={focusAtOnce}
        />
        <Button disabled={text.trim() === ""} onClick={() => take(text)}>
          Remplir
        </Button>
      </div>
      <div role="status">{read === null ? null : <Outcome read={read} />}</div>
    </div>
  );
}

function Outcome({ read: { changes, leftOut } }: { readonly read: ReadAddress }) {
  const isFilled = Object.keys(changes).length > 0;
  return (
    <Notice tone={leftOut.length > 0 ? "warning" : "neutral"}>
      {isFilled ? "Le formulaire est rempli." : "Rien de cette adresse n'a pu être repris."}
      {leftOut.length === 0 ? null : (
        <>
          {" Laissé de côté\u00a0:"}
          <ul className="paste-address__left">
            {leftOut.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </>
      )}
    </Notice>
  );
}

function focusAtOnce(input: HTMLInputElement | null): void {
  input?.focus();
}
