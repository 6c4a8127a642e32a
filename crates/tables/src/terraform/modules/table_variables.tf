variable "name" {
  description = "Name of the table."
  type        = string
}

variable "billing_mode" {
  description = "PAY_PER_REQUEST or PROVISIONED."
  type        = string
  default     = "PAY_PER_REQUEST"
}

variable "read_capacity" {
  description = "Read units of the table and of each index, if they are provisioned."
  type        = number
  default     = null
}

variable "write_capacity" {
  description = "Write units of the table and of each index, if they are provisioned."
  type        = number
  default     = null
}

variable "hash_key" {
  description = "The partition key."
  type        = string
}

variable "range_key" {
  description = "The sort key; null if there is none."
  type        = string
  default     = null
}

variable "attributes" {
  description = "Types of the attributes that are keys of the table or of an index."
  type        = list(object({ name = string, type = string }))
}

variable "global_secondary_indexes" {
  description = "The global secondary indexes."
  type = list(object({
    name               = string
    hash_key           = string
    range_key          = optional(string)
    projection_type    = string
    non_key_attributes = optional(list(string))
  }))
  default = []
}

variable "local_secondary_indexes" {
  description = "The local secondary indexes."
  type = list(object({
    name               = string
    range_key          = string
    projection_type    = string
    non_key_attributes = optional(list(string))
  }))
  default = []
}

variable "ttl_attribute" {
  description = "The attribute with the time of removal; null if items stay."
  type        = string
  default     = null
}

variable "stream_view_type" {
  description = "What a stream record holds; null if there is no stream."
  type        = string
  default     = null
}

variable "point_in_time_recovery" {
  description = "Whether the table can be restored to any second."
  type        = bool
}

variable "recovery_period_days" {
  description = "How many days can be gone back."
  type        = number
  default     = 35
}

variable "encrypted_with_kms" {
  description = "Whether the key that AWS manages in the account encrypts the table."
  type        = bool
}

variable "deletion_protection" {
  description = "Whether the table refuses to be deleted."
  type        = bool
}

variable "replica_regions" {
  description = "Regions with a replica of the table."
  type        = list(string)
  default     = []
}

variable "tags" {
  description = "Tags of the table."
  type        = map(string)
}
