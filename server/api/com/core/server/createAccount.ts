import { com } from '../../../../../lexicons/generated/index.ts'
import { requireProof } from '../../../../identity/accounts/change-handle.ts'
import { normalizeEmail } from '../../../../identity/accounts/email.ts'
import {
  handleProblem,
  isHandleTaken,
  normalizeHandle,
  unavailableMessage,
} from '../../../../identity/accounts/handle.ts'
import { isInviteValid, takeInvite } from '../../../../identity/accounts/invite-codes.ts'
import { importIdentity, mintIdentity } from '../../../../identity/accounts/new-identity.ts'
import { passwordProblem } from '../../../../identity/accounts/password.ts'
import { needsInvite, refuseFirstAccount } from '../../../../identity/accounts/sign-up.ts'
import { scopes } from '../../../../identity/auth/scopes.ts'
import { accountView, openSession, signTokens } from '../../../../identity/auth/sessions.ts'
import * as reservedKeys from '../../../../identity/tables/reserved-keys.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { isEmailAddress } from '../../../../platform/mail/address.ts'
import { emitAccount, emitCommit, emitIdentity } from '../../../../repository/events/emit.ts'
import { firstCommit } from '../../../../repository/records/commit.ts'
import * as repos from '../../../../repository/tables/repos.ts'
import type { Reader } from '../../../../store/database.ts'
import { isPending } from '../../../../store/tables/account-deletions.ts'
import * as accounts from '../../../../store/tables/accounts.ts'
import { streamStates } from '../../../../store/tables/stream-state.ts'
import { requesterOf } from '../../../../util/requester.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const createAccount = method(com.core.server.createAccount, {
  auth: 'import',
  limits: [perFiveMinutes(100, 'address')],
  async handler({ input, auth, caller, fail, identity, repository: { repositories }, ...platform }) {
    const { store, config, now, log } = platform
    const { passwords, plc } = identity
    const deps = { ...platform, ...identity }
    // Clients send an empty string when the field of their form is empty.
    const inviteCode = input.inviteCode?.trim().toLowerCase() || null
    const checkPermitted = (db: Reader) => {
      refuseFirstAccount(db, caller, auth.isAdmin)
      if (inviteCode === null && needsInvite(db, config, caller, auth.isAdmin)) {
        throw fail('InvalidInviteCode', 'This server requires an invite code. Ask its owner for one.')
      }
    }
    const invalidInvite = () =>
      fail('InvalidInviteCode', 'This invite code is not valid or has been used up. Ask for a new one.')
    checkPermitted(store)
    // First: a refusal further down shows whether an email address has an account.
    if (inviteCode !== null && !isInviteValid(store, inviteCode, input.did ?? '', now()))
      throw invalidInvite()
    const handle = normalizeHandle(input.handle)
    const email = input.email === undefined ? null : normalizeEmail(input.email)
    if (email !== null && !isEmailAddress(email))
      throw fail('InvalidRequest', 'This is not a valid email address')
    const weakness = input.password === undefined ? undefined : passwordProblem(input.password)
    if (weakness) throw fail('InvalidPassword', weakness)
    const imported = await importIdentity(deps, {
      ...{ did: input.did, plcOp: input.plcOp, handle },
      serviceToken: auth.serviceToken,
      requester: requesterOf(caller, undefined),
    })
    const problem = handleProblem(handle, config)
    if (problem?.name === 'UnsupportedDomain' && imported?.claims(handle)) {
      await requireProof(deps, imported.did, handle)
    } else if (problem) {
      const isReserved = problem.name === 'HandleNotAvailable'
      throw fail(problem.name, isReserved ? unavailableMessage(handle) : problem.message)
    }

    const checkFree = (db: Reader) => {
      if (imported && isPending(db, imported.did)) {
        throw fail(
          'NotEnoughResources',
          'The earlier account of this DID is still being deleted. Try again in a minute.',
        )
      }
      if (imported && accounts.findByDid(db, imported.did)) {
        throw fail('AlreadyExists', 'This DID already has an account on this server')
      }
      if (isHandleTaken(db, handle)) throw fail('HandleNotAvailable', unavailableMessage(handle))
      if (email !== null && accounts.findByEmail(db, email)) {
        throw fail('InvalidRequest', 'Another account has this email address')
      }
    }
    checkFree(store)
    store.assertRoom()
    const passwordHash =
      input.password === undefined ? null : await passwords.hash(input.password, caller.network)
    const newIdentity = imported ?? (await mintIdentity(deps, handle, input.recoveryKey))
    const { did } = newIdentity
    // Consumers of the event stream look the identity up, so the directory comes first.
    const isPublished = !imported && (await plc.publishFirst(did, JSON.parse(newIdentity.plcOperation ?? '')))
    const isHeld = config.plcUrl !== undefined && !isPublished
    const streamState = isHeld ? streamStates.unannounced : newIdentity.streamState
    const repository = firstCommit({ did, rev: repositories.newKey() }, newIdentity.signingKey)

    // Another sign-up may have taken the names, or become the owner, while the password was hashed: everything is checked again in the transaction.
    const creation = store.transact((tx) => {
      checkPermitted(tx)
      checkFree(tx)
      const at = now()
      if (inviteCode !== null && !takeInvite(tx, inviteCode, did, at)) throw invalidInvite()
      const isOwner = accounts.isEmpty(tx)
      const createdAt = iso(at)
      reservedKeys.remove(tx, did)
      accounts.insert(tx, {
        ...{ ...newIdentity, handle, email, passwordHash, isOwner, createdAt, inviteCode, streamState },
      })
      if (isPublished) {
        accounts.setPlcSubmitted(tx, did, createdAt)
        accounts.setPublished(tx, did, { handle, endpoint: platform.plcOrigin })
      }
      repos.insert(tx, did, repository.head, repository.blocks)
      // An imported account is deactivated: it emits its events when it is activated. An unpublished one does when it is published.
      if (!imported) {
        emitIdentity(tx, did, at)
        emitAccount(tx, did, at)
        emitCommit(tx, repository.event, at)
      }
      const opening = {
        did,
        scope: scopes.full,
        appPasswordName: null,
        client: caller.client,
        permissions: null,
      }
      return openSession(tx, opening, at)
    })
    const issued = await creation.catch((error: unknown) => {
      if (isPublished) log.warn({ did }, 'identity published, but its account was not created')
      throw error
    })
    const account = accounts.findByDid(store, did)
    if (!account) throw fail('AccountNotFound')
    return { ...(await signTokens(deps, issued)), ...(await accountView(deps, account)) }
  },
})
