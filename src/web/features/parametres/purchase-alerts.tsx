import { Button, TextInput } from "@mantine/core";
import { IconBellRinging } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { MAX_WEBHOOK_LENGTH } from "#contract/bounds.ts";
import { call, errorText } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { ReadFailed } from "../../ui/notice.tsx";
import { Loading } from "../../ui/loading/unread-part.tsx";
import { showError, showToast } from "../../ui/toasts/show-toast.ts";
import { useAsk } from "../../ui/windows/ask.tsx";
import { keepFocus } from "../../ui/windows/keep-focus.ts";

/** Purchase alerts in the user's own Discord channel; saved immediately, apart from the rest of the form. */
export function PurchaseAlerts() {
  const { data, isError, refetch } = useQuery(queries.alerts);
  if (data !== undefined)
    return data.discord === "" ? <WebhookField /> : <SavedWebhook mask={data.discord} />;
  return isError ? (
    <ReadFailed what="Vos alertes" onRetry={refetch} />
  ) : (
    <Loading height={64} label="Chargement des alertes" />
  );
}

function useAlertsEdit() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (discord: string | null) => call("editAlerts", { body: { discord } }),
    // The address is a secret: it must not stay in the mutation cache.
    gcTime: 0,
    onSuccess: async ({ message }) => {
      await client.invalidateQueries({ queryKey: queries.alerts.queryKey });
      showToast({ message });
    },
    onSettled: () =>
      keepFocus(() => document.querySelector<HTMLElement>(".purchase-alerts :is(input, button)")),
  });
}

function WebhookField() {
  const [text, setText] = useState("");
  const edit = useAlertsEdit();
  const save = (): void => {
    if (text.trim() !== "") edit.mutate(text.trim());
  };
  return (
    <div className="purchase-alerts stack" data-gap="12">
      <TextInput
        label="Webhook Discord"
        description="Achats confirmés, annulés, à confirmer ou à vérifier, dans un salon à vous, même quand Synapse est fermé. Dans Discord : paramètres du salon, Intégrations, Webhooks."
        placeholder="https://discord.com/api/webhooks/…"
        type="password"
        spellCheck={false}
        maxLength={MAX_WEBHOOK_LENGTH}
        value={text}
        error={edit.isError ? errorText(edit.error) : undefined}
        onChange={(event) => {
          setText(event.currentTarget.value);
          if (edit.isError) edit.reset();
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          // Enter saves the address; it does not save the whole form.
          event.preventDefault();
          save();
        }}
      />
      <div className="buttons">
        <Button disabled={text.trim() === ""} loading={edit.isPending} onClick={save}>
          Enregistrer le webhook
        </Button>
      </div>
    </div>
  );
}

function SavedWebhook({ mask }: { readonly mask: string }) {
  const edit = useAlertsEdit();
  const trial = useMutation({
    mutationFn: () => call("testAlert"),
    onSuccess: ({ message }) => showToast({ message }),
    onError: showError,
  });
  const ask = useAsk();
  const remove = async (): Promise<void> => {
    const question = {
      title: "Retirer le webhook ?",
      text: "Vos achats ne seront plus annoncés dans Discord. Il faudra coller son adresse de nouveau.",
      action: "Retirer",
      keep: "Garder le webhook",
      isDangerous: true,
    };
    if (await ask(question)) edit.mutate(null, { onError: showError });
  };
  return (
    <div className="purchase-alerts stack" data-gap="12">
      <p>
        Vos achats sont annoncés dans Discord, par le webhook qui se termine par{" "}
        <strong>{mask.slice(-4)}</strong>.
      </p>
      <div className="buttons">
        <Button
          loading={trial.isPending}
          leftSection={<IconBellRinging size={18} stroke={1.7} />}
          onClick={() => trial.mutate()}
        >
          Envoyer un essai
        </Button>
        <Button variant="danger-quiet" loading={edit.isPending} onClick={() => void remove()}>
          Retirer le webhook
        </Button>
      </div>
    </div>
  );
}
