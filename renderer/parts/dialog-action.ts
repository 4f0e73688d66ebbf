/** Calls that a dialog makes when it is submitted: on success it shows a toast and closes, on failure it shows the error. */
import type { Main, Procedure, Query } from '@atproto/lex-schema'
import type { UseMutationResult } from '@tanstack/react-query'
import type { Channel } from '../../electron/bridge.ts'
import type { Body } from '../api/client.ts'
import { type DesktopArgs, type DesktopResult, useDesktopCall } from '../api/desktop.ts'
import { type Input, useProcedure } from '../api/hooks.ts'
import type { Fields } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'

interface DialogOptions<I, O> {
  /** Makes the input of the call from the fields of the dialog. Absent for calls without input. */
  readonly input?: (field: Fields) => I
  /** The text of the toast. */
  readonly done?: string | ((input: I, output: O) => string)
  /** What else to do on success. */
  onDone?(output: O, input: I): void
  onClose(): void
}

/** Props of `FormDialog` and `ConfirmDialog`. */
export interface DialogAction {
  readonly busy: boolean
  readonly error: Error | null
  onSubmit(field: Fields): void
  onClose(): void
}

/** Calls a procedure. @param options.invalidates queries whose cached responses it invalidates */
export function useDialogAction<P extends Procedure>(
  method: Main<P>,
  options: DialogOptions<Input<P>, Body<P>> & { readonly invalidates?: readonly Main<Query>[] },
): DialogAction {
  const call = useProcedure(method, options.invalidates, {
    onSuccess: (output, input) => finish(options, input, output),
  })
  return propsOf(call, options)
}

/** Calls the desktop. @param options.invalidates channels whose cached results it invalidates */
export function useDesktopDialogAction<C extends Channel>(
  channel: C,
  options: DialogOptions<DesktopArgs<C>, DesktopResult<C>> & { readonly invalidates?: readonly Channel[] },
): DialogAction {
  const call = useDesktopCall(channel, options.invalidates, {
    onSuccess: (output, input) => finish(options, input, output),
  })
  return propsOf(call, { input: () => [] as unknown as DesktopArgs<C>, ...options })
}

function finish<I, O>({ done, onDone, onClose }: DialogOptions<I, O>, input: I, output: O): void {
  if (done !== undefined) toast(typeof done === 'string' ? done : done(input, output))
  onDone?.(output, input)
  onClose()
}

function propsOf<I, O>(
  call: UseMutationResult<O, Error, I>,
  { input = () => undefined as I, onClose }: DialogOptions<I, O>,
): DialogAction {
  return {
    busy: call.isPending,
    error: call.error,
    onSubmit: (field) => call.mutate(input(field)),
    onClose,
  }
}
