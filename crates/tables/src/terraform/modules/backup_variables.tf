variable "vault_name" {
  description = "Name of the vault, in this region and in that of the copies."
  type        = string
}

variable "copies" {
  description = "Whether each backup is copied to the region of the provider aws.copy."
  type        = bool
}

variable "plans" {
  description = "The plans by frequency: when, how long a backup is kept, and of which tables."
  type = map(object({
    name           = string
    selection_name = string
    schedule       = string
    retention_days = number
    table_arns     = list(string)
  }))
}

variable "tags" {
  description = "Tags of the vaults, the plans and the role."
  type        = map(string)
}
