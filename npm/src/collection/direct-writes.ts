import type { TransactionScope } from '../transactions/scope.ts'
import type { InsertConfig, OperationConfig, Transaction } from '../types/transactions.ts'

type Key = string | number

/** `insert`, `update` and `delete` of a collection. */
export interface DirectWrites {
  /** The scope of a client the collection belongs to. */
  scope: TransactionScope | undefined
  insert(target: object, data: object | readonly object[], config?: InsertConfig): Transaction
  update(
    target: object,
    keys: Key | readonly Key[] | undefined,
    config: OperationConfig | undefined,
    callback: (draft: unknown) => void,
  ): Transaction
  delete(target: object, keys: Key | readonly Key[], config?: OperationConfig): Transaction
  /** The row or changes as the collection's schema makes them; as they are without one. */
  validate(data: object, type: 'insert' | 'update', key?: Key): object
}
