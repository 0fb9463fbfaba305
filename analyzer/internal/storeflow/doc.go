// Package storeflow finds what functions do to stores: which tables, collections and keys they read and insert, by which columns, with which guard, and over which connection or transaction. It follows helpers and repository methods of any package through facts.
// What comes in is a package; what goes out are the accesses of each function and call, and the transactions in it.
// It must never judge: what is a bug is said in existsinsert, keytx and keyscope.
package storeflow
