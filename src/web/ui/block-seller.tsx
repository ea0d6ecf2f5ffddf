import { IconBan } from "@tabler/icons-react";
import type { Produit } from "#contract/produit.ts";
import { useBlockSeller, useUnblockSeller } from "../api/blocked-sellers.ts";
import { errorText } from "../api/client.ts";
import { showToast } from "./toasts/show-toast.ts";
import "./block-seller.css";

interface BlockSellerProps {
  readonly seller: Produit["user"];
  /** Called on press, before the listing and this button may unmount. */
  readonly onPress?: (button: HTMLElement) => void;
}

/** Blocks a listing's seller; the toast offers to undo it. */
export function BlockSeller({ seller, onPress }: BlockSellerProps) {
  const block = useBlockSeller();
  const unblock = useUnblockSeller();
  // Without an id (it could not be read, or the order was made elsewhere) the server cannot recognise the seller.
  if (seller.id === null) return null;
  const label = `Bloquer ${seller.login}`;
  const toastId = `vendeur-${seller.login}`;
  const undo = (): void =>
    // Not `mutate`, whose callbacks are not called if the card has unmounted.
    void unblock.mutateAsync(seller.login).then(
      ({ message }) => showToast({ id: toastId, message }),
      (error: unknown) => showToast({ id: toastId, message: errorText(error), tone: "bad" }),
    );
  const press = (button: HTMLElement): void => {
    onPress?.(button);
    block.mutateAsync(seller).then(
      ({ message }) =>
        showToast({
          id: toastId,
          tone: "neutral",
          message: (
            <>
              <p>{message}</p>
              <button type="button" className="toast__link" onClick={undo}>
                Annuler
              </button>
            </>
          ),
        }),
      (error: unknown) => showToast({ id: toastId, message: errorText(error), tone: "bad" }),
    );
  };
  return (
    <button
      type="button"
      className="block-seller centred"
      title={label}
      aria-label={label}
      onClick={(event) => press(event.currentTarget)}
    >
      <IconBan size={16} stroke={1.8} />
    </button>
  );
}
