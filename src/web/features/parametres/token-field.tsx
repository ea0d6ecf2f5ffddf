import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconEye, IconEyeOff } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type FocusEvent } from "react";
import { MAX_TOKEN_LENGTH, TOKEN_MASK } from "#contract/bounds.ts";
import { call } from "../../api/client.ts";
import type { ReadSettings } from "../../api/panel-answers.ts";
import { queries } from "../../api/queries.ts";
import { editSettings } from "../../api/commands.ts";
import { TagBadge } from "../../ui/tag-badge.tsx";
import { showError, showToast } from "../../ui/toasts/show-toast.ts";
import { useAsk } from "../../ui/windows/ask.tsx";
import { keepFocus } from "../../ui/windows/keep-focus.ts";
import { typedTokenOf, type SettingsPartProps } from "./settings-draft.ts";

interface TokenFieldProps extends SettingsPartProps {
  readonly saved: ReadSettings;
}

/**
 * The marketplace's refresh token. The form holds only a mask; the token is fetched on demand and kept in
 * this component's state, never in the query cache.
 */
export function TokenField({ draft, problems, onChange, saved }: TokenFieldProps) {
  const eye = useRef<HTMLButtonElement>(null);
  const [isShown, setIsShown] = useState(false);
  const [revealed, setRevealed] = useState<readonly string[]>([]);
  const isUntouched = saved.token !== "" && draft.token === null;
  // Not the saved mask, which changes with each token rotation.
  const mask = saved.token === "" ? "" : TOKEN_MASK;
  const value = draft.token ?? (isUntouched && isShown ? revealed.at(-1) : undefined) ?? mask;
  const reveal = useMutation({
    mutationFn: () => call("token"),
    gcTime: 0,
    onSuccess: ({ token }) => {
      setRevealed((known) => [...known, token]);
      setIsShown(true);
    },
    onError: showError,
    onSettled: () => keepFocus(() => eye.current),
  });
  const toggle = (): void => {
    if (!isShown && isUntouched) {
      reveal.mutate();
      return;
    }
    setIsShown(!isShown);
  };
  const label = isShown ? "Masquer le token" : "Afficher le token";
  return (
    <div className="token-field stack" data-gap="4">
      <TextInput
        label={
          <span className="row">
            Token de rafraîchissement Vinted <AccountBadge etat={saved.etat} />
          </span>
        }
        description={tokenHint(saved)}
        type={isShown ? "text" : "password"}
        spellCheck={false}
        maxLength={MAX_TOKEN_LENGTH}
        value={value}
        error={problems.token}
        // Typing replaces the mask instead of inserting into it.
        onFocus={(event: FocusEvent<HTMLInputElement>) =>
          isUntouched ? event.currentTarget.select() : undefined
        }
        onChange={(event) => {
          const shown = saved.token === "" ? [mask] : [mask, ...revealed];
          onChange({ token: typedTokenOf(event.currentTarget.value, shown) });
        }}
        rightSectionWidth={48}
        rightSection={
          <ActionIcon
            ref={eye}
            aria-label={label}
            loading={reveal.isPending}
            disabled={value === ""}
            onClick={toggle}
          >
            {isShown ? <IconEyeOff size={19} stroke={1.7} /> : <IconEye size={19} stroke={1.7} />}
          </ActionIcon>
        }
      />
    </div>
  );
}

function tokenHint({ token }: ReadSettings): string {
  if (token === "") return "Aucun token enregistré : sans lui, rien ne peut être acheté.";
  return `Enregistré, il se termine par ${token.slice(-4)}. Laissez-le tel quel pour le garder.`;
}

function AccountBadge({ etat }: { readonly etat: ReadSettings["etat"] }) {
  if (etat === "connecte") return <TagBadge tone="good">Connecté</TagBadge>;
  if (etat === "a_reconnecter") return <TagBadge tone="bad">À reconnecter</TagBadge>;
  return <TagBadge tone="neutral">Non connecté</TagBadge>;
}

export function Disconnect() {
  const client = useQueryClient();
  const ask = useAsk();
  const { mutate, isPending } = useMutation({
    mutationFn: () => editSettings(() => ({ token: null })),
    onSuccess: async ({ message }) => {
      await client.invalidateQueries({ queryKey: queries.settings.queryKey });
      showToast({ message, tone: "neutral" });
      // The button goes; what is typed meanwhile keeps the focus.
      if (document.activeElement?.matches("input, select") !== true)
        document.querySelector<HTMLElement>(".token-field input")?.focus();
    },
    onError: showError,
  });
  const disconnect = async (): Promise<void> => {
    const isSure = await ask({
      title: "Déconnecter le compte Vinted ?",
      text: "Le token est effacé : plus aucun achat, ni en un clic ni automatique, jusqu'à ce que vous en donniez un autre.",
      action: "Déconnecter",
      keep: "Rester connecté",
      isDangerous: true,
    });
    if (isSure) mutate();
  };
  return (
    <Button
      variant="danger-quiet"
      className="quiet-action"
      loading={isPending}
      onClick={() => void disconnect()}
    >
      Déconnecter le compte
    </Button>
  );
}
