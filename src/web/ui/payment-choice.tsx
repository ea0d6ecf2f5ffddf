import { useId } from "react";
import { paymentMethods, type PaymentMethodId } from "#catalogue/payment-methods.ts";
import "./payment-choice.css";

interface PaymentChoiceProps {
  readonly label: string;
  readonly chosenId: PaymentMethodId;
  readonly onChange: (id: PaymentMethodId) => void;
}

/** One of the two ways to pay. */
export function PaymentChoice({ label, chosenId, onChange }: PaymentChoiceProps) {
  const groupName = useId();
  return (
    <fieldset className="payment-choice">
      <legend>{label}</legend>
      <div className="payment-choice__methods">
        {paymentMethods.map((method) => (
          <label key={method.id}>
            <input
              type="radio"
              name={groupName}
              checked={chosenId === method.id}
              onChange={() => onChange(method.id)}
            />
            {method.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
