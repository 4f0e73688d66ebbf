/** Calls methods from within the process: inputs are checked like inputs of requests, credentials are given by the caller. */

import { type BinaryInput, type BinaryOutput, type Caller, fail, type Method } from './method.ts'
import { type Prepared, prepare } from './prepared.ts'
import type { Rename } from './project.ts'
import { readParams, validated } from './validate.ts'
import { protocolError } from './xrpc-errors.ts'

export interface InternalCall {
  readonly nsid: string
  /** Parameters, as in a query string. */
  readonly query?: string | undefined
  /** A JSON value, or a stream for methods whose input is not JSON. */
  readonly input?: unknown
  /** Passed to the handler as `auth`. */
  readonly auth: unknown
  readonly caller: Caller
  /** Maps `$type`s of the response. */
  readonly rename?: Rename | undefined
}

/** Calls a method. Resolves with a JSON value, a {@link BinaryOutput} or undefined. Throws the errors of the handler. */
export type CallMethod = (call: InternalCall) => Promise<unknown>

export function createInternalCaller<Word extends string, Services>(
  methods: readonly Method<Word, Services>[],
  services: Services,
): CallMethod {
  const table = new Map(methods.map((method) => [method.nsid, prepare(method, services, false)]))
  return async ({ nsid, query = '', input, auth, caller, rename }) => {
    const prepared = table.get(nsid)
    if (!prepared) throw protocolError('MethodNotImplemented', `This server does not answer ${nsid}`)
    const { method, outputKind, projectOutput } = prepared
    const params = readParams(method.schema.parameters, query)
    const read = checkedInput(prepared, input)
    const args = { ...services, auth, params, input: read, caller, headers: {}, fail } as Services &
      Parameters<typeof method.handler>[0]
    const output = await method.handler(args)
    return outputKind === 'json' ? projectOutput(output, rename) : (output as BinaryOutput | undefined)
  }
}

function checkedInput<Word, Services>(prepared: Prepared<Word, Services>, input: unknown): unknown {
  const { inputKind, projectInput, maxBody } = prepared
  const { schema } = prepared.input
  if (inputKind === 'json') return schema && validated(schema, projectInput(input ?? {}))
  if (inputKind === 'none') return undefined
  const binary = input as BinaryInput
  if (!prepared.input.matchesEncoding(binary.encoding)) {
    throw protocolError('InvalidRequest', `The type of the body cannot be ${binary.encoding}`)
  }
  return { ...binary, body: limited(binary.body, maxBody) }
}

async function* limited(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<Uint8Array> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw protocolError('PayloadTooLarge', `The body may have ${maxBytes} bytes at most`)
    yield chunk
  }
}
