import { com } from '../../../../../lexicons/generated/index.ts'
import { isUnpublished } from '../../../../identity/accounts/plc-chain.ts'
import { requirePlc } from '../../../../identity/accounts/plc-operation.ts'
import { handleIn } from '../../../../identity/did/did-plc.ts'
import { method } from '../../../method.ts'

/** Milliseconds for which a state of the directory is used again. */
const maxAgeMs = 10_000

export const listRotationKeys = method(com.core.identity.listRotationKeys, {
  auth: 'full',
  async handler({ auth: { account }, identity: { secrets, plc } }) {
    requirePlc(account)
    const state = await plc.current(account, maxAgeMs)
    const keys = state.rotationKeys.map((key) => ({ key, server: key === secrets.rotationKey.did }))
    return { keys, handle: handleIn(state), published: !isUnpublished(account) }
  },
})
