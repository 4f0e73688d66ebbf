/** Creates the parts that the owner operates: moves of accounts, checks of the public address, of the protocol, of backups and of the stored data. */
import {
  type AccountDeletion,
  createAccountDeletion,
  type DeletionListener,
} from '../identity/accounts/delete.ts'
import type { Identity } from '../identity/identity.ts'
import type { Platform } from '../platform/platform.ts'
import { warnOfWorker } from '../platform/platform.ts'
import type { CallMethod } from '../platform/xrpc/internal-call.ts'
import type { Repository } from '../repository/repository.ts'
import { createPageCheck, type PageCheck } from '../store/page-check.ts'
import { createOwnCheck, type OwnCheck } from './conformance/own-check.ts'
import { createDoctor, type Doctor } from './doctor/doctor.ts'
import type { Host } from './host.ts'
import { createInspector, type Inspector, type InspectorOptions } from './inspector/inspector.ts'
import { createMoves, type Moves } from './moving/moves.ts'
import { credentialsFile } from './replicas/credentials.ts'
import { createOwnBackups, type OwnBackups } from './replicas/local/own-backups.ts'
import { type BackupProofs, createBackupProofs } from './replicas/local/proofs.ts'
import { createOwnPlaces, type OwnPlaces } from './replicas/own-places.ts'
import { createReplicas, type Replicas, type ReplicasOptions } from './replicas/replicas.ts'

export interface Operation {
  /** Calls a method of this server within the process. */
  readonly callMethod: CallMethod
  readonly moves: Moves
  readonly accountDeletion: AccountDeletion
  readonly doctor: Doctor
  readonly inspector: Inspector
  readonly conformance: OwnCheck
  readonly backups: OwnBackups
  readonly backupProofs: BackupProofs
  readonly pageCheck: PageCheck
  readonly copies: Replicas
  /** The places of the copies that the owner changes over HTTP; undefined without a program that keeps them. */
  readonly places: OwnPlaces | undefined
  /** The program that runs the server; undefined in tests and in programs that offer nothing to the owner. */
  readonly host: Host | undefined
}

export interface OperationOptions extends ReplicasOptions, InspectorOptions {
  readonly callMethod: CallMethod
  readonly host?: Host | undefined
  /** What the wings do when an account is deleted, in the order in which they are called. */
  readonly onAccountDeleted: readonly DeletionListener[]
}

export async function createOperation(
  platform: Platform,
  identity: Identity,
  { blobs, relays, repositories }: Pick<Repository, 'blobs' | 'relays' | 'repositories'>,
  { callMethod, copiesKeeper, host, onAccountDeleted, ...options }: OperationOptions,
): Promise<Operation> {
  const { config, store, files, now, log, signal, inlineJobs } = platform
  const { dataDir } = config
  const accountDeletion = createAccountDeletion({ ...platform, blobs, listeners: onAccountDeleted })
  const keeper = copiesKeeper ?? credentialsFile(dataDir, config.copiesCredentials, files)
  const doctor = createDoctor({ ...platform, ...identity, relays })
  return {
    callMethod,
    moves: createMoves({ ...platform, ...identity, callMethod }),
    accountDeletion,
    doctor,
    inspector: createInspector(platform, options),
    conformance: createOwnCheck({
      ...{ ...platform, ...identity, repositories, accountDeletion, probes: doctor.probes },
      onUnloadable: warnOfWorker(platform),
    }),
    backups: createOwnBackups({ dataDir, store, files, now, signal, onUnloadable: warnOfWorker(platform) }),
    backupProofs: createBackupProofs({
      ...{ dataDir, files, now, signal },
      repairMedia: async (cids) => (await blobs.examine(cids)).includes('backup repaired'),
      onUnloadable: warnOfWorker(platform),
    }),
    pageCheck: await createPageCheck({ store, files, dataDir, now, signal }),
    copies: await createReplicas({
      ...{ config, store, files, now, log, signal, copiesKeeper: keeper, inlineJobs },
      repairMedia: (cids) => blobs.examine(cids),
      onUnloadable: warnOfWorker(platform),
    }),
    places: host && createOwnPlaces({ config, host, keeper, files, log }),
    host,
  }
}
