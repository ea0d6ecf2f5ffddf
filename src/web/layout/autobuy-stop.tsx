import { Button } from "@mantine/core";
import { IconHandStop, IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { queries } from "../api/queries.ts";
import { editSettings, isBuying, showStopError } from "../api/commands.ts";
import { formatCounted } from "../ui/format-panel.ts";
import { showError, showToast } from "../ui/toasts/show-toast.ts";
import { useAsk } from "../ui/windows/ask.tsx";
import { keepFocus, openContent } from "../ui/windows/keep-focus.ts";
import "./autobuy-stop.css";

interface AutobuyStopCommand {
  /** Undefined until the settings are read, and if they cannot be: stopping is possible anyway. */
  readonly isStopped: boolean | undefined;
  /** The marketplace accepts the person's token. */
  readonly isConnected: boolean;
  /** The delivery address is complete. */
  readonly hasAddress: boolean;
  readonly isBusy: boolean;
  /** Stopping is immediate; resuming asks first, since it lets money be spent again. */
  readonly set: (isStopped: boolean) => void;
}

/** 'Tout arrêter': from one second later on, no automatic payment is made. */
export function useAutobuyStop(onSettled?: () => void): AutobuyStopCommand {
  const client = useQueryClient();
  const ask = useAsk();
  const { data: settings } = useQuery(queries.settings);
  const { mutate, isPending } = useMutation({
    mutationFn: (isStopped: boolean) => editSettings(() => ({ limites: { arret: isStopped } })),
    onSuccess: async (_answer, isStopped) => {
      showToast({
        message: isStopped ? "Achats automatiques arrêtés." : "Achats automatiques repris.",
        tone: "neutral",
      });
      void client.invalidateQueries({ queryKey: queries.state.queryKey });
      // Invalidating does not restart a first read, whose answer may be older than the change.
      await client.cancelQueries({ queryKey: queries.settings.queryKey });
      await client.invalidateQueries({ queryKey: queries.settings.queryKey });
    },
    onError: (error, isStopped) => (isStopped ? showStopError(error) : showError(error)),
    onSettled: () => onSettled?.(),
  });
  const resume = async (): Promise<void> => {
    const isSure = await ask({
      title: "Reprendre les achats automatiques ?",
      text: "Vos filtres actifs en achat automatique pourront de nouveau payer à votre place, dans la limite de vos garde-fous.",
      action: "Reprendre",
      keep: "Rester à l'arrêt",
    });
    if (isSure) mutate(false);
  };
  return {
    isStopped: settings?.limites?.arret,
    isConnected: settings?.etat === "connecte",
    hasAddress: settings?.adresse_complete === true,
    isBusy: isPending,
    set: (isStopped) => (isStopped ? mutate(true) : void resume()),
  };
}

/** The stop button and its state, for the menu and the status dialog. */
export function AutobuyStop() {
  const button = useRef<HTMLButtonElement>(null);
  const { data: filters } = useQuery(queries.filters);
  const { isStopped, isConnected, hasAddress, isBusy, set } = useAutobuyStop(() =>
    // In the settings a switch replaces the button as soon as they can be read.
    keepFocus(() => button.current ?? openContent()),
  );
  const buyingCount = filters?.filter(isBuying).length;
  const { data: state } = useQuery({
    ...queries.state,
    enabled: (buyingCount ?? 0) > 0,
  });
  const block = state?.achats_auto.bloque ?? null;
  return (
    <div className="autobuy-stop" data-stopped={isStopped || undefined}>
      {isStopped === undefined ? null : (
        <p className="hint">{stateText({ isStopped, isConnected, hasAddress, buyingCount, block })}</p>
      )}
      <Button
        ref={button}
        fullWidth
        variant={isStopped ? "filled" : "default"}
        loading={isBusy}
        leftSection={isStopped ? <IconPlayerPlay size={18} /> : <IconHandStop size={18} />}
        onClick={() => set(!isStopped)}
      >
        {isStopped ? "Reprendre" : "Tout arrêter"}
      </Button>
    </div>
  );
}

interface BuyingState {
  readonly isStopped: boolean;
  readonly isConnected: boolean;
  readonly hasAddress: boolean;
  /** Active filters with automatic purchase; undefined until they are read. */
  readonly buyingCount: number | undefined;
  /** Why nothing can be bought now; null: no reason known. */
  readonly block: string | null;
}

export function stateText({ isStopped, isConnected, hasAddress, buyingCount, block }: BuyingState): string {
  if (isStopped) return "Achats automatiques arrêtés";
  if (buyingCount === 0) return "Aucun achat automatique";
  if (!isConnected) return "Achats en pause : compte à connecter";
  if (!hasAddress) return "Achats en pause : adresse à compléter";
  if (buyingCount === undefined) return "Achats automatiques permis";
  if (block !== null) return block;
  return formatCounted(buyingCount, "filtre achète pour vous", "filtres achètent pour vous");
}
