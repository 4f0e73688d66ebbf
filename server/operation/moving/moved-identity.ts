/** The operation that lets a did:plc name its new server. */
import { signedUpdate } from '../../identity/accounts/plc-operation.ts'
import { maxRotationKeys, type PlcOperation } from '../../identity/did/did-plc.ts'
import { lastOperation } from '../../identity/did/plc-directory.ts'
import { isObject, isString } from '../../util/json.ts'
import type { SigningKey } from '../../util/keys.ts'
import { moveRefused } from './refused.ts'
import type { Json, Side } from './side.ts'

export interface OperationDeps {
  readonly source: Side
  readonly target: Side
  readonly plcUrl: string | undefined
  readonly did: string
  readonly signal: AbortSignal
}

const recommendation = 'com.core.identity.getRecommendedDidCredentials'

/** Has the old server sign the operation. @throws errors of the sides, such as for a wrong code */
export async function signWithCode(deps: OperationDeps, code: string): Promise<unknown> {
  const { changes } = await nextOperation(deps)
  const input = { token: code, ...changes }
  const { operation } = await deps.source.post('com.core.identity.signPlcOperation', input)
  return operation
}

/** Signs the operation with the rotation key of this server. @throws errors of the sides */
export async function signWithKey(deps: OperationDeps, signer: SigningKey): Promise<PlcOperation> {
  const { last, changes } = await nextOperation(deps)
  return signedUpdate(last, changes, signer)
}

/**
 * Returns the last operation of an identity, and the changes of the next one: it has the credentials of the new server, and keeps
 * the owner's additions. The owner's keys stay above the server's; only keys of the old server are removed.
 */
async function nextOperation({ source, target, plcUrl, did, signal }: OperationDeps) {
  if (plcUrl === undefined) throw moveRefused('This server has no directory. Set one up under Network first.')
  const [last, recommended, old] = await Promise.all([
    lastOperation(plcUrl, did, { signal }),
    target.get(recommendation),
    source.get(recommendation).then(({ rotationKeys }) => strings(rotationKeys)),
  ])
  if (!last) throw moveRefused(`The directory does not have ${did}`)
  const keys = strings(recommended.rotationKeys)
  const own = last.rotationKeys.filter((key) => !old.includes(key) && !keys.includes(key))
  const otherNames = last.alsoKnownAs.filter((name) => !name.startsWith('at://'))
  const changes: Json = {
    rotationKeys: [...own.slice(0, Math.max(0, maxRotationKeys - keys.length)), ...keys],
    alsoKnownAs: [...strings(recommended.alsoKnownAs), ...otherNames],
    verificationMethods: { ...last.verificationMethods, ...membersOf(recommended.verificationMethods) },
    services: { ...last.services, ...membersOf(recommended.services) },
  }
  return { last, changes }
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(isString) : []
}

function membersOf(value: unknown): Json {
  return isObject(value) ? value : {}
}
