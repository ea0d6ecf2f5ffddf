/** Pairs a Telegram chat by a code, which the bot's link carries or the person sends by hand. */
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { alertCentre } from "../../api/alerts/alert-centre.ts";
import { call, errorText } from "../../api/client.ts";
import { Notice, PassingButton, RetryButton } from "../notice.tsx";
import { useNowMs } from "../now.ts";
import { Loading } from "../loading/unread-part.tsx";
import { Dialog } from "../windows/dialog.tsx";

const LOOK_MS = 2_000;
/** How long a code is valid; measured from its arrival, because this device's clock may differ from the server's. */
const VALID_MS = 10 * 60_000;

export function TelegramDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const pairing = useQuery({
    queryKey: ["telegram-code"],
    queryFn: () => call("pairTelegram"),
    // Another request would replace the code that the person is about to send; another dialog has another code.
    staleTime: "static",
    gcTime: 0,
    retry: false,
  });
  // Polls for the chat, which appears once the bot has received the code.
  const { data: count } = useQuery({
    ...alertCentre,
    refetchInterval: LOOK_MS,
    // A lost chat that is paired again becomes active.
    select: ({ canaux }) =>
      canaux.filter(({ canal, etat }) => canal === "telegram" && etat === "actif").length,
  });
  const before = useRef(count);
  useEffect(() => {
    before.current ??= count;
    if (count !== undefined && before.current !== undefined && count > before.current) {
      void client.invalidateQueries({ queryKey: alertCentre.queryKey });
      onClose();
    }
  }, [client, count, onClose]);
  const hasExpired = useNowMs() - pairing.dataUpdatedAt >= VALID_MS;
  return (
    <Dialog isOpen onClose={onClose} title="Relier Telegram" size="sm" centered>
      {pairing.isPending || pairing.isFetching ? (
        <Loading height={96} label="Préparation du code" />
      ) : pairing.isError ? (
        <Notice tone="bad" action={<RetryButton onRetry={pairing.refetch} />}>
          {errorText(pairing.error)}
        </Notice>
      ) : hasExpired ? (
        <Notice tone="warning" action={<PassingButton onPress={pairing.refetch}>Nouveau code</PassingButton>}>
          Ce code n'est plus valable.
        </Notice>
      ) : (
        <>
          <p>Ouvrez Telegram et envoyez ce code au robot :</p>
          <p className="telegram-code">{pairing.data.code}</p>
          <p className="aside">Valable 10 minutes</p>
          <div className="ask__actions buttons" data-align="end">
            <Button component="a" variant="filled" href={pairing.data.lien} target="_blank" rel="noreferrer">
              Ouvrir Telegram
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
