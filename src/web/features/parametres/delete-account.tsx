import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { DELETE_WORD } from "#contract/bounds.ts";
import { call, errorText } from "../../api/client.ts";
import { forgetPerson } from "../../api/session.ts";
import { keepFocus } from "../../ui/windows/keep-focus.ts";

/** Upper bound of the wait for the browser to end its push subscription. */
const MAX_FORGET_MS = 1_000;

/** Requires a typed word, so that no accidental click deletes an account. */
export function DeleteAccount() {
  const [isOpen, setIsOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const show = (isShown: boolean): void => {
    setIsOpen(isShown);
    keepFocus(() => place.current?.querySelector<HTMLElement>("input, button"));
  };
  return (
    <div ref={place}>
      {isOpen ? (
        <Confirmation onCancel={() => show(false)} />
      ) : (
        <Button variant="danger-quiet" className="quiet-action" onClick={() => show(true)}>
          Supprimer mon compte
        </Button>
      )}
    </div>
  );
}

function Confirmation({ onCancel }: { readonly onCancel: () => void }) {
  const client = useQueryClient();
  const [text, setText] = useState("");
  const deletion = useMutation({
    mutationFn: () => call("deleteAccount", { body: { confirmation: DELETE_WORD } }),
    onSuccess: async () => {
      await Promise.race([
        forgetPerson(client),
        new Promise((resolve) => setTimeout(resolve, MAX_FORGET_MS)),
      ]);
      // A full page load discards all of the account's data in memory.
      window.location.assign("/");
    },
  });
  return (
    <div className="delete-account stack">
      <p>
        Vos filtres, vos réglages, votre adresse, votre token et la liste de vos achats sont effacés, et les
        achats automatiques s'arrêtent. Rien ne peut être récupéré. Vos commandes sur Vinted restent.
      </p>
      <TextInput
        label={`Écrivez ${DELETE_WORD} pour confirmer`}
        autoCapitalize="characters"
        spellCheck={false}
        value={text}
        error={deletion.isError ? errorText(deletion.error) : undefined}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter must neither delete the account nor submit the surrounding form.
          if (event.key === "Enter") event.preventDefault();
        }}
      />
      <div className="buttons" data-align="end">
        <Button onClick={onCancel}>Garder mon compte</Button>
        <Button
          variant="danger"
          disabled={text.trim() !== DELETE_WORD}
          loading={deletion.isPending}
          onClick={() => deletion.mutate()}
        >
          Supprimer définitivement
        </Button>
      </div>
    </div>
  );
}
