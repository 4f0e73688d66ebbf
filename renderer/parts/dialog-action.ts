/** Calls that a dialog makes when it is submitted: on success it shows a toast and closes, on failure it shows the error. */
import type { Main, Procedure, Query } from '@atproto/lex-schema'
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Channel } from '../../electron/ground/bridge.ts'
import type { Body } from '../api/client.ts'
import { type DesktopArgs, type DesktopResult, useDesktopCall } from '../api/desktop.ts'
import { type Input, keyOf, useProcedure } from '../api/hooks.ts'
import { useMaybeSession } from '../api/sessions.ts'
import type { Fields } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'

interface Effects<I, O> {
  /** The text of the toast. A function that returns none keeps the dialog open, for example when a file chooser was cancelled. */
  readonly done?: string | ((input: I, output: O) => string | undefined)
  /** What else to do on success. */
  onDone?(output: O, input: I): void
  onClose(): void
}

interface CallOptions<I, O> extends Effects<I, O> {
  /** Makes the input of the call from the fields of the dialog. Absent for calls without input. */
  readonly input?: (field: Fields) => I
}

interface WorkOptions<O> extends Effects<Fields, O> {
  /** @param did the current account; empty without a session */
  run(field: Fields, did: string): Promise<O>
  /** Queries whose cached responses it invalidates; `all`: those of the account. */
  readonly invalidates?: readonly Main<Query>[] | 'all'
}

/** Props of `FormDialog` and `ConfirmDialog`. */
export interface DialogAction {
  readonly busy: boolean
  readonly error: Error | null
  onSubmit(field: Fields): void
  onClose(): void
  /** Removes the error. */
  reset(): void
}

/** Calls a procedure. @param options.invalidates queries whose cached responses it invalidates */
export function useDialogAction<P extends Procedure>(
  method: Main<P>,
  options: CallOptions<Input<P>, Body<P>> & { readonly invalidates?: readonly Main<Query>[] },
): DialogAction {
  const call = useProcedure(method, options.invalidates, {
    onSuccess: (output, input) => finish(options, input, output),
  })
  return propsOf(call, options.onClose, options.input)
}

/** Calls the desktop. @param options.invalidates channels whose cached results it invalidates */
export function useDesktopDialogAction<C extends Channel>(
  channel: C,
  options: CallOptions<DesktopArgs<C>, DesktopResult<C>> & { readonly invalidates?: readonly Channel[] },
): DialogAction {
  const call = useDesktopCall(channel, options.invalidates, {
    onSuccess: (output, input) => finish(options, input, output),
  })
  return propsOf(call, options.onClose, options.input ?? (() => [] as unknown as DesktopArgs<C>))
}

/** Runs a function, for work other than one call. */
export function useDialogWork<O>({ run, invalidates = [], ...effects }: WorkOptions<O>): DialogAction {
  const did = useMaybeSession()?.did ?? ''
  const client = useQueryClient()
  const keys = invalidates === 'all' ? [[did]] : invalidates.map((query) => keyOf(did, query))
  const work = useMutation({
    mutationFn: (field: Fields) => run(field, did),
    onSuccess: (output, field) => finish(effects, field, output),
    onSettled: () => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
  return propsOf(work, effects.onClose, (field) => field)
}

function finish<I, O>({ done, onDone, onClose }: Effects<I, O>, input: I, output: O): void {
  const text = typeof done === 'function' ? done(input, output) : done
  if (text === undefined && done !== undefined) return
  if (text !== undefined) toast(text)
  onDone?.(output, input)
  onClose()
}

function propsOf<I, O>(
  { isPending, error, mutate, reset }: UseMutationResult<O, Error, I>,
  onClose: () => void,
  input = (_: Fields) => undefined as I,
): DialogAction {
  return { busy: isPending, error, onSubmit: (field) => mutate(input(field)), onClose, reset }
}
