/** Submitting did:plc operations to the directory, when one is configured. Without one an identity stays local. */
import type { Config } from '../config/config.ts'
import { submitOperation } from '../identity/plc-directory.ts'
import type { Database } from '../store/database.ts'
import * as accounts from '../store/tables/accounts.ts'
import type { Logger } from '../util/log.ts'
import { iso } from '../util/time.ts'
import { protocolError } from '../xrpc/errors.ts'

interface Deps {
  readonly config: Config
  readonly store: Database
  readonly log: Logger
  readonly now: () => Date
}

type Needed = Pick<Deps, 'config' | 'store' | 'now'>

/** Submits what is still to be submitted for an account; does nothing without a directory. */
export async function submitPending(
  { config, store, now }: Needed,
  account: accounts.Account,
): Promise<void> {
  const { did, plcOperation, plcSubmittedAt } = account
  if (config.plcUrl === undefined || plcOperation === null || plcSubmittedAt !== null) return
  await submitOperation(config.plcUrl, did, JSON.parse(plcOperation))
  await store.transact((tx) => accounts.setPlcSubmitted(tx, did, iso(now())))
}

/** The same, for whoever waits for it: an account does not become active while its identity points elsewhere. */
export async function submitBeforeActivation(
  services: Needed & Pick<Deps, 'log'>,
  account: accounts.Account,
) {
  await submitPending(services, account).catch((error: unknown) => {
    services.log.warn({ err: error, did: account.did }, 'the DID directory did not take an operation')
    throw protocolError(
      'NotEnoughResources',
      'The DID directory did not take the operation. Try again later.',
    )
  })
}
