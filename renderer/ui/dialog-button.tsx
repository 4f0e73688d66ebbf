import { type ReactNode, useState } from 'react'
import { Button, type ButtonProps } from './button.tsx'

interface DialogButtonProps extends ButtonProps {
  /** Renders the dialog. */
  dialog(close: () => void): ReactNode
}

/** A button that opens a dialog. */
export function DialogButton({ dialog, onClick, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        {...button}
        onClick={(event) => {
          onClick?.(event)
          setOpen(true)
        }}
      />
      {isOpen && dialog(() => setOpen(false))}
    </>
  )
}
